package org.stillwater.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.dal.lock.DatabaseInUse;

class FailureExplanationsTest {

    @ParameterizedTest
    @CsvSource({
        "08001, Start PostgreSQL",
        "28P01, spring.datasource.password",
        "28P01, stillwater.database.migration",
        "3D000, Create the database",
        "42501, create tables",
        "53300, max-connections",
        "XX000, See to the database"
    })
    void aDatabaseThatCannotBeUsedIsExplained(String state, String action) {
        FailureAnalysis told =
                explain(
                        new IllegalStateException(
                                new StoreUnavailable("no", new SQLException("refused", state))));
        assertThat(told.getDescription()).contains("refused");
        assertThat(told.getAction()).contains(action);
    }

    @Test
    void viewsOfOthersAreNamedWithoutTheServersAdvice() {
        FailureAnalysis told =
                explain(
                        new IllegalStateException(
                                new StoreUnavailable(
                                        "view mine depends on yours",
                                        new SQLException("use CASCADE", "2BP01"))));
        assertThat(told.getDescription())
                .contains("view mine depends on yours")
                .doesNotContain("CASCADE");
        assertThat(told.getAction()).contains("Drop the objects that are named");
    }

    @ParameterizedTest
    @CsvSource({"the file is missing, make it"})
    void aRefusalOfTheEngineHasARemedy(String problem, String action) {
        FailureAnalysis told =
                explain(new IllegalStateException(new StartRefused(problem, action, null)));
        assertThat(told.getDescription()).isEqualTo(problem);
        assertThat(told.getAction()).isEqualTo(action);
    }

    @Test
    void anotherEngineOnTheDatabaseIsNamed() {
        FailureAnalysis told =
                explain(new IllegalStateException(new DatabaseInUse("stillwater-engine at b")));
        assertThat(told.getDescription()).contains("stillwater-engine at b");
        assertThat(told.getAction()).contains("Stop the other one", "after a minute");
    }

    private static FailureAnalysis explain(Throwable failure) {
        return Stream.<FailureAnalyzer>of(
                        new FailureExplanations.Refused(),
                        new FailureExplanations.Embedded(),
                        new FailureExplanations.InUse(),
                        new FailureExplanations.Database())
                .map(it -> it.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }
}
