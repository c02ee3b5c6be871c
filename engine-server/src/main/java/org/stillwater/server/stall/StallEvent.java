package org.stillwater.server.stall;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** Something waited for its turn for longer than it should. */
@Name("stillwater.Stall")
@Label("Stall")
@Description("A heart-beat or a report waited for its turn")
@Category("Stillwater")
@StackTrace(false)
final class StallEvent extends Event {

    /** Work that waited. */
    @Label("What")
    String what = "";

    /** Name of the host for a mailbox, else empty. */
    @Label("Host")
    String host = "";

    /** For how long. */
    @Label("Waited")
    @Timespan
    long waited;
}
