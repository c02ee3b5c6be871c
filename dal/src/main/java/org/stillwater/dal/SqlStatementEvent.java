package org.stillwater.dal;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One round trip of a statement to the database, until the server's first answer: rows that a
 * result set fetches later are not in its duration. A batch of JDBC is one event. It holds neither
 * parameters nor the text of the statement.
 */
@Name("stillwater.SqlStatement")
@Label("SQL Statement")
@Description("A statement sent to the database, until the first answer")
@Category({"Stillwater", "Database"})
@StackTrace(false)
public final class SqlStatementEvent extends Event {

    /** Subject of the statement, see {@link SqlStage#tag}. */
    @Label("Stage")
    @Description("Subject of the statement, as in the meter stillwater.sql.statements")
    public String stage = "";

    /** Class and method that send it, such as {@code JdbcVmStore.writeRuntimes}. */
    @Label("Name")
    @Description("Class and method that send the statement")
    public String name = "";

    /** Verb and table, such as {@code UPDATE vm_runtime_light}. */
    @Label("Statement")
    @Description("Verb and first table of the statement, without parameters")
    public String statement = "";

    /** Statements of a JDBC batch, otherwise 1. */
    @Label("Statements")
    public int statements = 1;

    /** Rows that it changed, 0 for a query. */
    @Label("Changed Rows")
    public long rows;

    /** Whether the database refused it or did not answer. */
    @Label("Failed")
    public boolean failed;

    /** The commit of one transaction, until the server's answer. */
    @Name("stillwater.SqlCommit")
    @Label("SQL Commit")
    @Description("The commit of a transaction, until the answer")
    @Category({"Stillwater", "Database"})
    @StackTrace(false)
    public static final class Commit extends Event {

        /** Subject of the transaction, see {@link SqlStage#tag}. */
        @Label("Stage")
        @Description("Subject of the transaction, as in the meter stillwater.sql.commits")
        public String stage = "";

        /** Whether the database refused it or did not answer. */
        @Label("Failed")
        public boolean failed;
    }
}
