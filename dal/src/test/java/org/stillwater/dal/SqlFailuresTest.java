package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SqlFailuresTest {

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "08006, connection failure",
        "25006, read-only transaction",
        "40001, serialization failure",
        "40P01, deadlock",
        "42501, insufficient privilege",
        "42P01, undefined table",
        "53000, insufficient resources",
        "53100, disk full",
        "53200, out of memory",
        "53300, too many connections",
        "53400, configuration limit exceeded",
        "55P03, lock not available",
        "57014, query canceled",
        "57P01, admin shutdown",
        "57P02, crash shutdown",
        "57P03, cannot connect now",
        "57P05, idle session timeout",
        "58030, I/O error",
        "XX000, internal error",
        "XX001, data corrupted"
    })
    @DisplayName("T14 a failure of the database itself is no fault of a row")
    void ofTheDatabase(String state, String meaning) {
        assertThat(SqlFailures.rowIsAtFault(new SQLException(meaning, state))).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "21000", "22001", "22021", "23502", "23503", "23505", "23514", "44000", "54000",
                "P0001"
            })
    void ofARow(String state) {
        assertThat(SqlFailures.rowIsAtFault(new SQLException("refused", state))).isTrue();
    }

    @Test
    @DisplayName("T14 a failure without a state is no fault of a row")
    void withoutAState() {
        assertThat(SqlFailures.rowIsAtFault(new SQLException("the connection is closed")))
                .isFalse();
        assertThat(SqlFailures.rowIsAtFault(new SQLException("odd", "22"))).isFalse();
    }

    @Test
    void theReasonIsOneLineWithItsState() {
        assertThat(SqlFailures.reason(new SQLException("no room\nDETAIL: secrets", "53100")))
                .isEqualTo("no room (SQLSTATE 53100)");
        assertThat(SqlFailures.reason(new SQLException("x".repeat(1_000)))).hasSize(501);
    }
}
