package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.device.IntakeTrouble;

class HostHealthTest {

    private static final Instant THEN = Instant.parse("2026-11-22T08:00:00Z");

    private static final AnswerTime SLOW =
            new AnswerTime(
                    Duration.ofSeconds(7), Duration.ofSeconds(9), null, Duration.ofMinutes(1));

    private static HostHealth health(
            HostStatus status, @Nullable Instant polled, boolean overdue, AnswerTime answers) {
        return new HostHealth(
                new HostDefinition(new HostId(new UUID(0, 1)), "host", "192.0.2.1", 54321),
                status,
                THEN,
                null,
                polled,
                overdue,
                Map.of(),
                answers,
                false,
                null,
                null,
                0,
                null,
                null);
    }

    @Test
    void aHostThatClaimsVmsOfOthersIsInTrouble() {
        HostHealth well = health(HostStatus.UP, THEN, false, SLOW);
        HostHealth contested =
                new HostHealth(
                        well.definition(),
                        HostStatus.UP,
                        THEN,
                        null,
                        THEN,
                        false,
                        Map.of(),
                        SLOW,
                        false,
                        null,
                        null,
                        2,
                        null,
                        null);

        assertThat(contested.trouble()).isEqualTo(HostTrouble.CONTESTED);
        assertThat(contested.trouble().isTrouble()).isTrue();
        assertThat(contested.isWell()).isFalse();
    }

    @Test
    void aHostWithRefusedVmsIsInTrouble() {
        HostHealth well = health(HostStatus.UP, THEN, false, AnswerTime.NONE);
        HostHealth incomplete =
                new HostHealth(
                        well.definition(),
                        HostStatus.UP,
                        THEN,
                        null,
                        THEN,
                        false,
                        Map.of(),
                        AnswerTime.NONE,
                        false,
                        null,
                        null,
                        0,
                        new IntakeTrouble(5, "it does not say what they are", THEN),
                        null);

        assertThat(incomplete.trouble()).isEqualTo(HostTrouble.INTAKE_FAILED);
        assertThat(incomplete.trouble().isTrouble()).isTrue();
        assertThat(incomplete.isWell()).isFalse();
    }

    @Test
    void aHostWithReportsThatWereNotProcessedIsInTrouble() {
        HostHealth well = health(HostStatus.UP, THEN, false, SLOW);
        HostHealth failing =
                new HostHealth(
                        well.definition(),
                        HostStatus.UP,
                        THEN,
                        null,
                        THEN,
                        false,
                        Map.of(),
                        SLOW,
                        false,
                        null,
                        null,
                        0,
                        null,
                        new HostHealth.AnalysisTrouble(2, "vm=1: a bug", THEN));

        assertThat(failing.trouble()).isEqualTo(HostTrouble.ANALYSIS_FAILED);
        assertThat(failing.trouble().isTrouble()).isTrue();
        assertThat(failing.isWell()).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "UNASSIGNED, UNTRUSTED",
        "CONNECTING, UNTRUSTED",
        "NON_RESPONSIVE, UNTRUSTED",
        "UP, WELL",
        "MAINTENANCE, LEFT_ALONE"
    })
    void aHostWithARefusedCertificateIsNotSilent(HostStatus status, HostTrouble trouble) {
        HostHealth health = health(status, THEN, false, AnswerTime.NONE);
        assertThat(
                        new HostHealth(
                                        health.definition(),
                                        health.status(),
                                        health.since(),
                                        health.reason(),
                                        health.lastPollAt(),
                                        health.pollOverdue(),
                                        health.warnings(),
                                        health.answers(),
                                        true,
                                        null,
                                        null,
                                        0,
                                        null,
                                        null)
                                .trouble())
                .isEqualTo(trouble);
    }

    @ParameterizedTest
    @CsvSource({
        "UNASSIGNED, STARTING",
        "UP, WELL",
        "CONNECTING, SILENT",
        "NON_RESPONSIVE, SILENT",
        "INITIALIZING, RECOVERING",
        "NON_OPERATIONAL, NON_OPERATIONAL",
        "ERROR, FAILED",
        "PREPARING_FOR_MAINTENANCE, DRAINING",
        "MAINTENANCE, LEFT_ALONE",
        "DOWN, LEFT_ALONE",
        "REBOOT, LEFT_ALONE",
        "KDUMPING, LEFT_ALONE"
    })
    void theTroubleFollowsFromTheStatus(HostStatus status, HostTrouble trouble) {
        assertThat(health(status, THEN, false, AnswerTime.NONE).trouble()).isEqualTo(trouble);
    }

    @Test
    void aSlowHostIsNotSilent() {
        assertThat(health(HostStatus.UP, THEN, false, SLOW).trouble()).isEqualTo(HostTrouble.SLOW);
        assertThat(health(HostStatus.UP, THEN, true, SLOW).trouble()).isEqualTo(HostTrouble.SLOW);
        assertThat(health(HostStatus.CONNECTING, THEN, true, SLOW).trouble())
                .isEqualTo(HostTrouble.SILENT);
    }

    @Test
    void aHostWithoutReportsOfItsVmsIsNotWell() {
        assertThat(health(HostStatus.UP, THEN, true, AnswerTime.NONE).trouble())
                .isEqualTo(HostTrouble.OVERDUE);
        assertThat(health(HostStatus.UP, null, false, AnswerTime.NONE).trouble())
                .isEqualTo(HostTrouble.STARTING);
    }
}
