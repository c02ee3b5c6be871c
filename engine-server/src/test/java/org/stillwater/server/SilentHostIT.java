package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.host.HostStatus.NON_RESPONSIVE;
import static org.stillwater.core.host.HostStatus.UP;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostWorkKind;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.dal.TestDatabase;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.host.HostHealth;

/**
 * A host that is a process of its own falls silent in the ways in which processes do. The engine
 * reports statuses in their order, the audit log, VMs, and the work that is left to commands. Every
 * time of the engine is shortened; nothing here waits for a time.
 */
@Timeout(180) // an engine that does not start must not stop the build
class SilentHostIT {

    private static final int VMS = 3;

    /**
     * All that happens, in its order: statuses in lower case, then the events that follow from
     * them.
     */
    private static final List<String> SILENT_AND_BACK =
            List.of(
                    "connecting",
                    "VDS_HOST_NOT_RESPONDING",
                    "non_responsive",
                    "VM_SET_TO_UNKNOWN_STATUS x " + VMS,
                    "VDS_FAILURE",
                    "up",
                    "VDS_DETECTED",
                    "VM_STATUS_RESTORED x " + VMS);

    private static final String[] SHORT_TIMES = {
        "--stillwater.commands.enabled=false", // work for commands stays open
        "--stillwater.cycle.interval=500ms",
        "--stillwater.wire.connect-timeout=1s",
        "--stillwater.wire.handshake-timeout=1s",
        "--stillwater.wire.call-timeout=1s",
        "--stillwater.wire.heart-beat-in=500ms",
        "--stillwater.wire.heart-beat-out=500ms",
        "--stillwater.host-policy.refresh=100ms",
        "--stillwater.host-policy.forgiven-silence=2s",
        "--stillwater.host-policy.forgiven-silence-per-vm=0ms",
        "--stillwater.host-policy.fencing-delay=0ms"
    };

    @TempDir private Path folder;

    @Test
    @DisplayName(
            "S81 a host with a stopped process becomes non-responsive, and is up again when it"
                    + " continues")
    void frozen() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.freeze();
            watched.awaitGivenUp();
            watched.awaitFenceWork(1);

            host.thaw();
            watched.awaitBack();
            watched.awaitFenceWork(0);
            assertThat(watched.timeline()).containsExactlyElementsOf(watched.expected());
        }
    }

    @Test
    @DisplayName(
            "S81 a host with a cut port becomes non-responsive, and is up again when it is open")
    void cutOff() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.cutPort();
            watched.awaitGivenUp();
            watched.awaitFenceWork(1);

            host.openPort();
            watched.awaitBack();
            watched.awaitFenceWork(0);
            assertThat(watched.timeline()).containsExactlyElementsOf(watched.expected());
        }
    }

    @Test
    @DisplayName(
            "S81 a host with a killed process becomes non-responsive, and is up again when it is"
                    + " back")
    void killed() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.kill();
            watched.awaitGivenUp();
            watched.awaitFenceWork(1);

            host.start("pki");
            watched.awaitBack();
            watched.awaitFenceWork(0);
            assertThat(watched.timeline()).containsExactlyElementsOf(watched.expected());
        }
    }

    @Test
    @DisplayName("S81 a host with other certificates is not trusted, and the cause is named")
    void otherCertificates() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.kill();
            host.start("other-pki");
            watched.awaitGivenUp();
            watched.awaitReason("TLS refused");
            watched.awaitFenceWork(1);

            host.kill();
            host.start("pki");
            watched.awaitBack();
            watched.awaitFenceWork(0);
            assertThat(watched.timeline()).containsExactlyElementsOf(watched.expected());
        }
    }

    @Test
    @DisplayName("§3.6 a host that comes back when its agent is restarted was recovered softly")
    void softlyFenced() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS)) {
            // In place of the OpenSSH client: the restart of an agent that is a process.
            Path ssh = folder.resolve("ssh");
            Files.writeString(ssh, "#!/bin/sh\nexec kill -CONT " + host.pid() + "\n");
            assertThat(ssh.toFile().setExecutable(true)).isTrue();
            Path empty = Files.createFile(folder.resolve("empty"));
            try (Watched watched =
                    Watched.start(
                            database,
                            host,
                            "--stillwater.fencing.ssh.enabled=true",
                            "--stillwater.fencing.ssh.program=" + ssh,
                            "--stillwater.fencing.ssh.identity=" + empty,
                            "--stillwater.fencing.ssh.known-hosts=" + empty)) {
                host.freeze();
                watched.awaitStatus(NON_RESPONSIVE);
                watched.awaitBack();
                watched.awaitEvent(AuditEvent.VDS_SOFT_RECOVER);
                watched.awaitFenceWork(0);
                List<String> expected = new ArrayList<>(watched.expected());
                expected.add("VDS_SOFT_RECOVER");
                assertThat(watched.timeline()).containsExactlyElementsOf(expected);
            }
        }
    }

    /** A shown status or a recorded event. */
    private record Moment(Instant at, String what) {}

    /** An engine that watches the host, and its events. */
    private static final class Watched implements AutoCloseable {

        final RunningEngine engine;
        final List<HostStatus> statuses = new ArrayList<>();
        private final List<Moment> moments = new ArrayList<>();
        private final Subscription changes;

        /** Entries of the audit log from before the test. */
        private int eventsBefore;

        /** How many of the statuses were awaited. */
        private int awaited = 1;

        private Watched(RunningEngine engine) {
            this.engine = engine;
            this.changes = engine.monitoring().fleet().changes().subscribe(null, false);
        }

        /** Returns when the host is up and its VMs are known. */
        static Watched start(TestDatabase database, SimulatorProcess host, String... more)
                throws Exception {
            String[] all =
                    Stream.concat(Stream.of(SHORT_TIMES), Stream.of(more)).toArray(String[]::new);
            Watched watched =
                    new Watched(RunningEngine.start(database, host.engineArguments(), all));
            try {
                watched.engine.awaitHostsUp(1);
                watched.statuses.add(UP);
                RunningEngine.await(
                        () -> watched.engine.monitoring().fleet().vmCount() == VMS,
                        () -> watched.engine.monitoring().fleet().vmCount() + " VMs");
                watched.awaitVms(VmStatus.UP);
                watched.settled();
                return watched;
            } catch (Throwable e) {
                watched.close();
                throw e;
            }
        }

        /** Events until now are not part of the timeline. */
        private void settled() throws InterruptedException {
            assertThat(engine.monitoring().flush(Duration.ofSeconds(30))).isTrue();
            takeIn();
            moments.clear();
            eventsBefore = entries().size();
        }

        void awaitGivenUp() {
            awaitStatus(NON_RESPONSIVE);
            awaitVms(VmStatus.UNKNOWN);
        }

        void awaitBack() {
            awaitStatus(UP);
            awaitVms(VmStatus.UP);
        }

        /**
         * What must come. A machine under load may have made the host late at its start, and a host
         * that does not respond makes one event in three minutes.
         */
        List<String> expected() {
            String once = AuditEvent.VDS_HOST_NOT_RESPONDING.name();
            boolean told =
                    entries().stream()
                            .limit(eventsBefore)
                            .anyMatch(entry -> entry.event().name().equals(once));
            return SILENT_AND_BACK.stream().filter(what -> !told || !what.equals(once)).toList();
        }

        /** Every status of the host and every entry of the audit log since it was settled. */
        List<String> timeline() throws InterruptedException {
            assertThat(engine.monitoring().flush(Duration.ofSeconds(30))).isTrue();
            takeIn();
            List<Moment> all = new ArrayList<>(moments);
            entries().stream()
                    .skip(eventsBefore)
                    .forEach(entry -> all.add(new Moment(entry.at(), entry.event().name())));
            all.sort(Comparator.comparing(Moment::at)); // stable: a status, then what follows
            List<String> told = new ArrayList<>();
            for (int i = 0; i < all.size(); ) {
                String what = all.get(i).what();
                int times = 0;
                while (i < all.size() && all.get(i).what().equals(what)) {
                    times++;
                    i++;
                }
                told.add(times == 1 ? what : what + " x " + times);
            }
            return told;
        }

        /** Takes changes in, in their order, until the host has come to this status since. */
        void awaitStatus(HostStatus status) {
            RunningEngine.await(
                    () -> {
                        takeIn();
                        return statuses.subList(awaited, statuses.size()).contains(status);
                    },
                    () -> statuses + ", now " + engine.monitoring().fleet().hosts());
            awaited += statuses.subList(awaited, statuses.size()).indexOf(status) + 1;
        }

        private void takeIn() {
            try {
                for (Delta delta : changes.next(Duration.ofMillis(20)).deltas()) {
                    if (delta instanceof Delta.HostChanged changed
                            && statuses.getLast() != changed.state().status()) {
                        statuses.add(changed.state().status());
                        moments.add(
                                new Moment(
                                        changed.state().since(),
                                        changed.state().status().name().toLowerCase(Locale.ROOT)));
                    }
                }
            } catch (Exception e) {
                throw new AssertionError("the feed ended", e);
            }
        }

        void awaitVms(VmStatus status) {
            RunningEngine.await(
                    () -> {
                        takeIn();
                        return engine.monitoring()
                                        .fleet()
                                        .vms()
                                        .filter(vm -> vm.state().runtime().status() == status)
                                        .count()
                                == VMS;
                    },
                    () -> engine.get("/api/v1/vms").body());
        }

        void awaitFenceWork(int count) {
            RunningEngine.await(
                    () ->
                            engine.monitoring().pendingWork().openAboutHosts().stream()
                                            .filter(open ->
                                                    open.work().kind() == HostWorkKind.FENCE)
                                            .count()
                                    == count,
                    () -> engine.get("/api/v1/work").body());
        }

        void awaitReason(String words) {
            RunningEngine.await(
                    () -> String.valueOf(health().reason()).contains(words),
                    () -> health().toString());
        }

        private HostHealth health() {
            return engine.monitoring().fleet().hostHealth().getFirst();
        }

        void awaitEvent(AuditEvent event) {
            RunningEngine.await(() -> events().contains(event), () -> events().toString());
        }

        /** The audit log, oldest first. */
        List<AuditEvent> events() {
            return entries().stream().map(AuditEntry::event).toList();
        }

        private List<AuditEntry> entries() {
            try {
                return engine.monitoring().events().newest(AuditFilter.ANY, null, 1000).reversed();
            } catch (StoreUnavailable e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            changes.close();
            engine.close();
        }
    }
}
