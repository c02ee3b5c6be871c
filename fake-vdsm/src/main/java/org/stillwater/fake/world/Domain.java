package org.stillwater.fake.world;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A host's record of a VM, from the request to run it until {@code VM.destroy}. During a migration
 * two hosts have one each.
 *
 * <p>Guarded by the monitor of its host; writers hold the world's lock as well. All times are
 * virtual milliseconds.
 */
final class Domain {

    static final long NEVER = Long.MIN_VALUE;

    /** Time after its start in which a guest without agent counts as powering up (§3.2). */
    private static final long POWERING_UP_MILLIS = 60_000;

    /** Time after a shutdown request in which the guest counts as powering down (§3.2). */
    private static final long POWERING_DOWN_MILLIS = 300_000;

    /** The tick of the worker that asks guest agents (§5.1). */
    private static final long AGENT_TICK_MILLIS = 5_000;

    /** Progress of the agent's reports to this host. */
    enum Agent {
        /** Nothing yet. */
        SILENT,
        /** It answers. */
        ACTIVE,
        /** It answered before the guest rebooted. */
        REBOOTING,
        /** It answered until it was stopped. */
        STOPPED
    }

    final Machine machine;
    final FakeHost host;
    Phase phase;

    /** Since when it runs on this host; {@link #NEVER} before. */
    long runningSince = NEVER;

    /** Since when the guest runs: goes with a migration, restarts with a reboot. */
    long guestSince = NEVER;

    @Nullable ActiveTime active;
    @Nullable String pauseCode;
    long shutdownAskedAt = NEVER;
    boolean rebooted;

    /** Whether it goes down when its guest reboots. */
    boolean endsOnReboot;

    Agent agent = Agent.SILENT;
    long agentSince = NEVER;
    boolean agentKnown;

    /** Raised when every planned step of this domain becomes void. */
    int plan;

    /** Raised when the planned steps of the guest agent become void. */
    int agentPlan;

    @Nullable Exit exit;
    String exitMessage = "";
    String clientAddress = "";

    /** The console that got the last ticket; {@code null} before. */
    @Nullable String ticket;

    boolean responsive = true;
    @Nullable Watchdog watchdog;
    @Nullable Migration migration;

    /** Its last way off this host, ended or not: a migration or a hibernation. */
    @Nullable Departure departure;

    final List<BlockJob> jobs = new ArrayList<>(0);
    int deviceGeneration;
    final int vncPort;
    final int spicePort;

    /** The number of the tap of each NIC. */
    private int[] taps;

    @Nullable VmSegments segments;

    /** An action of a watchdog. */
    record Watchdog(long wallMillis, String action) {}

    Domain(Machine machine, FakeHost host, Phase phase) {
        this.machine = machine;
        this.host = host;
        this.phase = phase;
        this.vncPort = machine.graphics.contains("vnc") ? host.takeDisplayPort() : 0;
        this.spicePort = machine.spice ? host.takeDisplayPorts(2) : 0;
        int firstTap = host.takeTaps(machine.nics.size());
        this.taps = IntStream.range(firstTap, firstTap + machine.nics.size()).toArray();
    }

    /** Starts the guest here. */
    void run(long now, long guestStart) {
        phase = Phase.RUNNING;
        runningSince = now;
        guestSince = guestStart;
        active = new ActiveTime(now);
        changed();
    }

    /** Stops the guest where it is. */
    void paused(long now) {
        phase = Phase.PAUSED;
        if (active != null) {
            active.pause(now);
        }
    }

    /** Whether the definition is still the requested one: there is no hash yet (§3.3.2). */
    boolean isInitial() {
        return runningSince == NEVER;
    }

    /** The status a poll reports (§3.2). */
    String status(long now) {
        if (phase != Phase.RUNNING) {
            Migration out = migration;
            return phase == Phase.MIGRATION_SOURCE && out != null && out.isPostCopy()
                    ? Phase.PAUSED.wire()
                    : phase.wire();
        }
        if (shutdownAskedAt != NEVER && now - shutdownAskedAt < POWERING_DOWN_MILLIS) {
            return "Powering down";
        }
        if (agent == Agent.ACTIVE) {
            return "Up";
        }
        if (agent == Agent.REBOOTING) {
            return "RebootInProgress";
        }
        if (now - guestSince < POWERING_UP_MILLIS) {
            return rebooted ? "RebootInProgress" : "Powering up";
        }
        return "Up";
    }

    /** Whether its host counts it as migrating; a host counts hibernation as migration. */
    boolean isLeaving() {
        Departure leaving = departure;
        return leaving != null && leaving.isUnderWay();
    }

    boolean isPostCopySource() {
        Migration out = migration;
        return phase == Phase.MIGRATION_SOURCE && out != null && out.isPostCopy();
    }

    boolean isDown() {
        return phase == Phase.DOWN;
    }

    /** Whether the agent has answered all questions, one tick after its first answer. */
    boolean isGuestKnown(long now) {
        return agent == Agent.ACTIVE && now - agentSince >= AGENT_TICK_MILLIS;
    }

    /** Whether two samples of this domain exist (§3.3.10). */
    boolean isSampled(long now) {
        return isSampledSince(runningSince, now);
    }

    /** Whether two samples exist of a device that joined this domain at a given time. */
    boolean isSampledSince(long since, long now) {
        return runningSince != NEVER
                && host.samplesBetween(Math.max(since, runningSince), now) >= 2;
    }

    long elapsedSeconds(long now) {
        return guestSince == NEVER ? 0 : (now - guestSince) / 1000;
    }

    /** The host's wall clock when it started here. */
    long startEpochSeconds() {
        long since = runningSince == NEVER ? 0 : runningSince;
        return host.momentAt(since).wallMillis() / 1000;
    }

    /** Signed 64 bits, opaque: another host or another VDSM process gives another value (§4.6). */
    long hash() {
        return Seeds.of(Seeds.of(machine.seed, host.processSeed()), deviceGeneration);
    }

    /**
     * The number of the tap of a NIC; a record of a VM that has changed on another host may lack
     * it.
     */
    int tap(int nic) {
        return nic < taps.length ? taps[nic] : 0;
    }

    /** Call after a NIC has been appended to the machine. */
    void nicPlugged() {
        taps = Arrays.copyOf(taps, taps.length + 1);
        taps[taps.length - 1] = host.takeTaps(1);
        devicesChanged();
    }

    /** Call after a NIC has been removed from the machine. */
    void nicUnplugged(int index) {
        taps =
                IntStream.range(0, taps.length)
                        .filter(nic -> nic != index)
                        .map(nic -> taps[nic])
                        .toArray();
        devicesChanged();
    }

    void devicesChanged() {
        deviceGeneration++;
        changed();
    }

    /** Drops the encoded parts. */
    void changed() {
        segments = null;
    }
}
