package org.stillwater.monitoring.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.host.HostTimers.Timer;

class PollScheduleTest {

    private static final HostMonitorSettings SETTINGS = HostMonitorSettings.DEFAULT;
    private static final long INTERVAL = SETTINGS.interval().toNanos();
    private static final long REFRESH = SETTINGS.refresh().toNanos();
    private static final long NOW = 7 * INTERVAL;

    private final PollSchedule schedule = schedule(1);

    private static PollSchedule schedule(long host) {
        return new PollSchedule(new HostId(new UUID(0, host)), SETTINGS);
    }

    @Test
    void nothingIsDueBeforeItIsPlanned() {
        assertThat(schedule.untilNext(NOW)).isEqualTo(Long.MAX_VALUE);
        assertThat(schedule.isPollWanted()).isFalse();
    }

    @Test
    void aHostIsPolledAtItsPhaseOfEveryInterval() {
        schedule.plan(HostStatus.UP, false, NOW);
        long first = NOW + schedule.untilNext(NOW);
        assertThat(first).isGreaterThan(NOW).isLessThanOrEqualTo(NOW + INTERVAL);
        assertThat(schedule.fire(Timer.CYCLE, first - 1)).isFalse();
        assertThat(schedule.fire(Timer.CYCLE, first)).isTrue();

        // A cycle that begins late does not move the next one.
        schedule.plan(HostStatus.UP, false, first + INTERVAL / 2);
        assertThat(schedule.untilNext(first)).isEqualTo(INTERVAL);
    }

    @Test
    void thePhaseFollowsFromTheHost() {
        PollSchedule same = schedule(1);
        PollSchedule other = schedule(2);
        schedule.plan(HostStatus.UP, false, NOW);
        same.plan(HostStatus.UP, false, NOW);
        other.plan(HostStatus.UP, false, NOW);
        assertThat(same.untilNext(NOW)).isEqualTo(schedule.untilNext(NOW));
        assertThat(other.untilNext(NOW)).isNotEqualTo(schedule.untilNext(NOW));
    }

    @Test
    void anotherIntervalHasAPhaseOfItsOwnAndBeginsAtOnce() {
        schedule.plan(HostStatus.UP, false, NOW);
        Duration longer = Duration.ofMinutes(2);
        schedule.pace(longer, NOW);
        long first = NOW + schedule.untilNext(NOW);
        assertThat(first).isGreaterThan(NOW).isLessThanOrEqualTo(NOW + longer.toNanos());
        assertThat(schedule.fire(Timer.CYCLE, first)).isTrue();
        schedule.plan(HostStatus.UP, false, first);
        assertThat(schedule.untilNext(first)).isEqualTo(longer.toNanos());

        Duration shorter = Duration.ofSeconds(5);
        schedule.polled(first);
        schedule.pace(shorter, first);
        assertThat(schedule.untilNext(first)).isPositive().isLessThanOrEqualTo(shorter.toNanos());

        // One that is over since the last poll is not waited for.
        PollSchedule late = schedule(3);
        late.pace(longer, NOW);
        late.plan(HostStatus.UP, false, NOW);
        late.polled(NOW - shorter.toNanos() - 1);
        late.pace(shorter, NOW);
        assertThat(late.untilNext(NOW)).isZero();

        // The same interval again moves nothing.
        long until = schedule.untilNext(first);
        schedule.pace(shorter, first + 1);
        assertThat(schedule.untilNext(first)).isEqualTo(until);
    }

    @Test
    void aCycleIsBroughtForwardAndNeverPutOff() {
        Duration pause = Duration.ofSeconds(5);
        schedule.hasten(pause, NOW); // nothing is planned
        assertThat(schedule.untilNext(NOW)).isEqualTo(Long.MAX_VALUE);

        schedule.pace(Duration.ofHours(1), NOW);
        schedule.plan(HostStatus.UP, false, NOW);
        schedule.polled(NOW);
        schedule.hasten(pause, NOW + 1);
        assertThat(schedule.untilNext(NOW)).isEqualTo(pause.toNanos());
        schedule.hasten(pause.multipliedBy(2), NOW + 2);
        assertThat(schedule.untilNext(NOW)).isEqualTo(pause.toNanos());
        schedule.hasten(pause, NOW + pause.toNanos() * 3);
        assertThat(schedule.untilNext(NOW)).isEqualTo(pause.toNanos());
    }

    @Test
    void planningAgainDoesNotMoveAPlannedPoll() {
        schedule.plan(HostStatus.CONNECTING, false, NOW);
        schedule.plan(HostStatus.CONNECTING, false, NOW + REFRESH / 2);
        assertThat(schedule.fire(Timer.REFRESH, NOW + REFRESH)).isTrue();
    }

    @Test
    void aHostOutOfContactIsPolledAtTheRefreshInterval() {
        schedule.plan(HostStatus.CONNECTING, false, NOW);
        assertThat(schedule.fire(Timer.REFRESH, NOW + REFRESH - 1)).isFalse();
        assertThat(schedule.fire(Timer.REFRESH, NOW + REFRESH)).isTrue();

        schedule.plan(HostStatus.CONNECTING, false, NOW);
        schedule.plan(HostStatus.UP, false, NOW + 1);
        assertThat(schedule.fire(Timer.REFRESH, NOW + REFRESH)).isFalse();
    }

    @Test
    void aNonOperationalHostIsCheckedAgain() {
        schedule.plan(HostStatus.NON_OPERATIONAL, false, NOW);
        long recheck = NOW + SETTINGS.policy().autoRecovery().toNanos();
        assertThat(schedule.fire(Timer.RECHECK, recheck - 1)).isFalse();
        assertThat(schedule.fire(Timer.RECHECK, recheck)).isTrue();
    }

    @Test
    void anUnwatchedHostIsPolledOnlyWhileItsVmsAreShown() {
        schedule.plan(HostStatus.MAINTENANCE, false, NOW);
        assertThat(schedule.untilNext(NOW)).isEqualTo(Long.MAX_VALUE);
        schedule.plan(HostStatus.MAINTENANCE, true, NOW);
        assertThat(schedule.untilNext(NOW)).isEqualTo(REFRESH);
    }

    @Test
    void noPollBeginsBeforeTheConnectionIsOpen() {
        schedule.connectAt(NOW + 3 * INTERVAL);
        schedule.plan(HostStatus.UP, false, NOW);
        assertThat(schedule.isConnectPlanned()).isTrue();
        assertThat(schedule.untilNext(NOW)).isEqualTo(3 * INTERVAL);

        schedule.connectAgain(NOW);
        assertThat(schedule.fire(Timer.CONNECT, NOW + REFRESH)).isTrue();
        assertThat(schedule.isConnectPlanned()).isFalse();

        schedule.connectAt(NOW);
        schedule.cancelConnect();
        assertThat(schedule.fire(Timer.CONNECT, NOW)).isFalse();
    }

    @Test
    void theFirstPollOutsideTheScheduleNeedNotWait() {
        schedule.wantPoll();
        assertThat(schedule.isPollWanted()).isTrue();
        assertThat(schedule.untilWantedPoll(NOW)).isZero();
    }

    @Test
    void pollsOutsideTheScheduleKeepAPause() {
        schedule.polled(NOW);
        schedule.wantPoll();
        long pause = SETTINGS.repollPause().toNanos();
        assertThat(schedule.untilWantedPoll(NOW)).isEqualTo(pause);
        assertThat(schedule.untilWantedPoll(NOW + pause)).isZero();
        assertThat(schedule.isPollWanted()).isTrue();

        schedule.polled(NOW + pause);
        assertThat(schedule.isPollWanted()).isFalse();
    }

    @Test
    void theClockMayWrap() {
        long before = Long.MAX_VALUE - Duration.ofMillis(1).toNanos();
        schedule.polled(before);
        schedule.plan(HostStatus.CONNECTING, false, before);
        long after = before + REFRESH;
        assertThat(after).isNegative();
        assertThat(schedule.untilWantedPoll(after)).isNegative();
        assertThat(schedule.fire(Timer.REFRESH, after - 1)).isFalse();
        assertThat(schedule.fire(Timer.REFRESH, after)).isTrue();
    }
}
