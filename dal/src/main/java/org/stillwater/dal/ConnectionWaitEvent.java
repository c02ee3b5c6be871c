package org.stillwater.dal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Threshold;

/** The wait of a transaction for one of the pool's connections. */
@Name("stillwater.ConnectionWait")
@Label("Connection Wait")
@Description("A transaction waited for its turn at the database connections")
@Category({"Stillwater", "Database"})
@Threshold("20 ms")
public final class ConnectionWaitEvent extends Event {

    /** Subject of the transaction, see {@link SqlStage#tag}. */
    @Label("Stage")
    @Description("Subject of the transaction, as in the meter stillwater.sql.commits")
    public String stage = "";
}
