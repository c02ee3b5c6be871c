package org.stillwater.dal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class StatementNameTest {

    @Test
    void aStatementIsNamedByItsVerbAndFirstTable() {
        assertThat(StatementName.verbAndTable("update vm_runtime_light AS d SET a = 'FROM x'"))
                .isEqualTo("UPDATE vm_runtime_light");
        assertThat(StatementName.verbAndTable("\n INSERT INTO audit_log (a) VALUES (?)"))
                .isEqualTo("INSERT audit_log");
        assertThat(
                        StatementName.verbAndTable(
                                "SELECT count(*) FROM (SELECT 1 FROM vm_static WHERE x = 5) AS s"))
                .isEqualTo("SELECT vm_static");
        assertThat(StatementName.verbAndTable("DELETE FROM only_here USING unnest(?) AS c"))
                .isEqualTo("DELETE only_here");
        assertThat(StatementName.verbAndTable("COPY vm_samples (a) FROM STDIN"))
                .isEqualTo("COPY vm_samples");
        assertThat(StatementName.verbAndTable("SELECT 'secret', 4711")).isEqualTo("SELECT");
        assertThat(StatementName.verbAndTable("")).isEmpty();
    }

    @Test
    void aLambdaIsNamedByItsMethod() {
        assertThat(StatementName.method("lambda$readHosts$3")).isEqualTo("readHosts");
        assertThat(StatementName.method("readHosts")).isEqualTo("readHosts");
    }

    @Test
    void aTextHasOneName() {
        assertThat(StatementName.of("SELECT 1 FROM one_table"))
                .isSameAs(StatementName.of("SELECT 1 FROM one_table"))
                .isEqualTo(
                        new StatementName("StatementNameTest.aTextHasOneName", "SELECT one_table"));
    }
}
