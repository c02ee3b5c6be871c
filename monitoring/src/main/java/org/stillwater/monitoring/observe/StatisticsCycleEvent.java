package org.stillwater.monitoring.observe;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One statistics cycle of one host: decoding and analysis of its complete poll. */
@Name("stillwater.StatisticsCycle")
@Label("Statistics Cycle")
@Description("Decoding and analysis of one host's complete poll")
@Category("Stillwater")
@StackTrace(false)
public final class StatisticsCycleEvent extends Event {

    /** Name of the host. */
    @Label("Host")
    public String host = "";

    /** VMs in the poll. */
    @Label("VMs")
    public int vms;

    /** VMs with a changed state. */
    @Label("Changed VMs")
    public int changed;

    /** Size of the message. */
    @Label("Message Size")
    @DataAmount
    public long bytes;

    /** Whether the whole message was understood. */
    @Label("Complete")
    public boolean complete;
}
