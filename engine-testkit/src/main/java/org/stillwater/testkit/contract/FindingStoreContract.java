package org.stillwater.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.regression.Coincidence;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.Mark;
import org.stillwater.core.regression.RecordedChange;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.store.FindingStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.WriteOutcome;

/** Contract of every {@link FindingStore}. A subclass hands out an empty store before each test. */
public abstract class FindingStoreContract {

    private static final Instant BEGIN = Instant.parse("2026-11-20T03:10:00Z");

    private FindingStore store;

    /** A store without findings. */
    protected abstract FindingStore emptyFindings() throws StoreUnavailable;

    @BeforeEach
    void begin() throws StoreUnavailable {
        store = emptyFindings();
    }

    private static Finding finding(int number) {
        return new Finding(
                new UUID(7, number),
                new SeriesOwner.Shared(SeriesOwner.STORAGE_DOMAIN, "domain-" + number),
                BEGIN,
                BEGIN.minusSeconds(300),
                BEGIN.plusSeconds(300),
                BEGIN.plusSeconds(3_000 + number),
                Duration.ofMinutes(5),
                List.of(
                        new Finding.Change(
                                RegressionMetric.STORAGE_DELAY,
                                0.5,
                                0.4,
                                0.6,
                                0.999,
                                2.0,
                                3.0,
                                4.25)),
                List.of("host-1/domain-" + number, "host-2/\"odd\\name\""),
                2,
                17,
                List.of(
                        new Coincidence(
                                RecordedChange.Kind.SOFTWARE,
                                "host agent 4.50.3 became 4.50.5",
                                BEGIN.minusSeconds(30),
                                1.0)),
                List.of(
                        new Finding.Evidence(
                                RegressionMetric.STORAGE_DELAY,
                                "host-1/domain-" + number,
                                BEGIN.minusSeconds(600),
                                Arrays.asList(2.0, null, 3.125),
                                List.of(),
                                List.of(new Mark(2, Mark.Kind.RESTART)))),
                null,
                null,
                null,
                null);
    }

    @Test
    @DisplayName("findings are read as they were written, the newest first")
    void asWritten() throws StoreUnavailable {
        assertThat(store.save(List.of(finding(1), finding(2))))
                .isEqualTo(new WriteOutcome.Written(2, List.of()));

        assertThat(store.newest(10)).containsExactly(finding(2), finding(1));
        assertThat(store.newest(1)).containsExactly(finding(2));
    }

    @Test
    @DisplayName("a finding that is saved again replaces the one of the same identity")
    void replaced() throws StoreUnavailable {
        store.save(List.of(finding(1)));
        Finding ended =
                finding(1)
                        .acknowledged(
                                new Finding.Acknowledgement(
                                        "eve@internal", BEGIN.plusSeconds(4_000), "known"))
                        .silenced(BEGIN.plusSeconds(90_000))
                        .ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED);

        store.save(List.of(ended));

        assertThat(store.newest(10)).containsExactly(ended);
    }

    @Test
    @DisplayName("only findings that ended long ago are removed")
    void removed() throws StoreUnavailable {
        Instant end = BEGIN.plusSeconds(9_000);
        store.save(
                List.of(
                        finding(1),
                        finding(2).ended(end, Finding.Ending.ADOPTED),
                        finding(3).ended(end.plusSeconds(10), Finding.Ending.MERGED)));

        assertThat(store.removeEndedBefore(end.plusSeconds(5))).isEqualTo(1);

        assertThat(store.newest(10))
                .extracting(Finding::id)
                .containsExactly(finding(1).id(), finding(3).id());
    }

    @Test
    @DisplayName("a finding that lasts is read, however many newer ones ended")
    void lasting() throws StoreUnavailable {
        store.save(
                List.of(
                        finding(1),
                        finding(2).ended(BEGIN.plusSeconds(9_000), Finding.Ending.ADOPTED),
                        finding(3).ended(BEGIN.plusSeconds(9_000), Finding.Ending.RECOVERED)));

        assertThat(store.newest(2))
                .extracting(Finding::id)
                .containsExactly(finding(1).id(), finding(3).id());
    }
}
