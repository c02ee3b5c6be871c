package org.stillwater.dal;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows that this program cannot read, or can read in part only: a newer version or a change by hand
 * wrote a code that it does not know. Such a row costs itself: the others are read. Rows of VMs
 * have a list of their own, see {@link JdbcVmStore}. Thread-safe.
 */
final class UnreadableRows {

    /** Rows of one table that are logged; health and the meter have all of them. */
    static final int LOGGED = 100;

    private static final Logger log = LoggerFactory.getLogger(UnreadableRows.class);

    private final Map<String, Map<String, String>> tables = new ConcurrentHashMap<>();

    /**
     * A row was not read, or not in full. A new reason is logged.
     *
     * @param table its table
     * @param key the columns that identify it
     * @param reason the unknown value, and its effect
     */
    void add(String table, String key, String reason) {
        Map<String, String> rows = tables.computeIfAbsent(table, _ -> new ConcurrentHashMap<>());
        String before = rows.get(key);
        if (before != null && before.contains(reason)) {
            return;
        }
        rows.put(key, before == null ? reason : before + "; " + reason);
        int known = rows.size();
        if (known <= LOGGED) {
            log.warn("row={} {} cannot be read: {}", table, key, reason);
        }
        if (known == LOGGED + 1) {
            log.warn("table={} has more rows that cannot be read: health counts them", table);
        }
    }

    /** A row has known values again. */
    void remove(String table, String key) {
        Map<String, String> rows = tables.get(table);
        if (rows != null) {
            rows.remove(key);
        }
    }

    /** Whether every row is readable, as in almost every database. */
    boolean isEmpty() {
        return tables.isEmpty();
    }

    /** A table is read again from its beginning. */
    void clear(String table) {
        tables.remove(table);
    }

    /** The reason of each row, by its table and key. */
    Map<String, String> all() {
        Map<String, String> all = new TreeMap<>();
        tables.forEach(
                (table, rows) -> rows.forEach((key, reason) -> all.put(table + " " + key, reason)));
        return all;
    }
}
