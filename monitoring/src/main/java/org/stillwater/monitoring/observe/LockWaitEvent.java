package org.stillwater.monitoring.observe;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/**
 * A wait for a named lock. The JDK's events lack waits of virtual threads, which release their
 * carrier meanwhile.
 */
@Name("stillwater.LockWait")
@Label("Lock Wait")
@Description("A thread waited for a named lock of the engine")
@Category("Stillwater")
@Threshold("20 ms")
public final class LockWaitEvent extends Event {

    /** Name of the lock, a constant. */
    @Label("Name")
    public String name = "";

    /** Whether it got the lock. */
    @Label("Held")
    public boolean held;
}
