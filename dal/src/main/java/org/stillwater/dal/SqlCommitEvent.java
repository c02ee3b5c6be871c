package org.stillwater.dal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The commit of one transaction, until the server's answer. */
@Name("stillwater.SqlCommit")
@Label("SQL Commit")
@Description("The commit of a transaction, until the answer")
@Category({"Stillwater", "Database"})
@StackTrace(false)
public final class SqlCommitEvent extends Event {

    /** Subject of the transaction, see {@link SqlStage#tag}. */
    @Label("Stage")
    @Description("Subject of the transaction, as in the meter stillwater.sql.commits")
    public String stage = "";

    /** Whether the database refused it or did not answer. */
    @Label("Failed")
    public boolean failed;
}
