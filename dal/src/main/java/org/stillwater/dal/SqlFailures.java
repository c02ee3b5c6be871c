package org.stillwater.dal;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.store.StoreUnavailable;

/**
 * Separates failures of a row from failures of the database. Stateless.
 *
 * <p>A row is at fault for SQLSTATE classes 21 (cardinality), 22 (data), 23 (constraints), 44
 * (check option) and 54 (limits), and for P0001 (raised by a trigger): appendix A of the PostgreSQL
 * manual. Everything else, a missing table or right included, may pass without any change to the
 * rows, so it counts as "not now": no row is dropped for it.
 */
final class SqlFailures {

    private static final Set<String> ROW_AT_FAULT = Set.of("21", "22", "23", "44", "54");
    private static final String RAISED = "P0001";
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final int LONGEST_REASON = 500;

    private SqlFailures() {}

    static boolean rowIsAtFault(SQLException failure) {
        @Nullable String state = failure.getSQLState();
        return state != null
                && state.length() == 5
                && (state.equals(RAISED) || ROW_AT_FAULT.contains(state.substring(0, 2)));
    }

    /** Another transaction held a row for longer than {@code lock_timeout}. */
    static boolean lockWasHeld(SQLException failure) {
        return LOCK_NOT_AVAILABLE.equals(failure.getSQLState());
    }

    /** One sentence for the operator; no values of other rows are in it. */
    static String reason(SQLException failure) {
        @Nullable String message = failure.getMessage();
        String line =
                message == null
                        ? failure.getClass().getSimpleName()
                        : message.lines().findFirst().orElse("");
        String shown =
                line.length() > LONGEST_REASON ? line.substring(0, LONGEST_REASON) + "…" : line;
        @Nullable String state = failure.getSQLState();
        return state == null ? shown : shown + " (SQLSTATE " + state + ")";
    }

    static StoreUnavailable unavailable(SQLException failure) {
        return new StoreUnavailable(reason(failure), failure);
    }
}
