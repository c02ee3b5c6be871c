package org.stillwater.monitoring.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** One batch that the writer brought to the database, or tried to. */
@Name("stillwater.BatchWrite")
@Label("Batch Write")
@Description("Changes brought to the database in one go")
@Category("Stillwater")
@StackTrace(false)
public final class BatchWriteEvent extends Event {

    /** VMs in the batch. */
    @Label("VMs")
    public int vms;

    /** Rows that the database touched. */
    @Label("Rows")
    public int rows;

    /** Rows that the database refused. */
    @Label("Rejected Rows")
    public int rejected;

    /** Whether the database could be written. */
    @Label("Durable")
    public boolean durable;
}
