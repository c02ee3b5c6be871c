package org.stillwater.server.recording;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.HostAdministration;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.monitoring.worker.SupervisedWorker;
import org.stillwater.monitoring.worker.Workers;
import org.stillwater.server.settings.CycleSettings;
import org.stillwater.server.settings.HostRecordingSettings;
import org.stillwater.vdsm.client.VdsmHostConnector;
import org.stillwater.vdsm.client.recording.RecordedHost;
import org.stillwater.vdsm.client.recording.RecordedVm;
import org.stillwater.vdsm.client.recording.RecordingWriter;

/**
 * One recording of hosts' messages at a time, on request, in a temporary file: bounded in length,
 * size and age. Without one, a connection reads one field for each message. Thread-safe.
 */
@Component
public final class HostRecordings implements SmartLifecycle {

    private static final Duration LOOK = Duration.ofSeconds(5);

    private final HostRecordingSettings settings;
    private final CycleSettings cycle;
    private final ObjectProvider<VdsmHostConnector> connectors;
    private final FleetReader fleet;
    private final HostAdministration administration;
    private final EngineClock clock;
    private final Workers workers;
    private @Nullable SupervisedWorker worker;
    private @Nullable Taken taken;

    private record Taken(
            Path file,
            RecordingWriter writer,
            List<String> hosts,
            Instant startedAt,
            long startedNanos,
            int seconds,
            AtomicReference<@Nullable String> ended) {

        boolean isRunning() {
            return ended.get() == null;
        }
    }

    /**
     * The state of the recording.
     *
     * @param state {@code none}, {@code running} or {@code stopped}
     * @param hosts names of its hosts
     * @param startedAt null if there is none
     * @param seconds length that was requested, null if there is none
     * @param bytes written so far
     * @param lines written so far
     * @param ended why it ended: {@code time}, {@code stopped}, {@code size}, {@code texts} or an
     *     error of the file; null before
     * @param deletedAt when the engine deletes it, null if there is none
     * @param mostSeconds longest length
     */
    public record Status(
            String state,
            List<String> hosts,
            @Nullable Instant startedAt,
            @Nullable Integer seconds,
            long bytes,
            long lines,
            @Nullable String ended,
            @Nullable Instant deletedAt,
            int mostSeconds) {}

    /** A request that the present state does not allow. */
    public static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String message) {
            super(message);
        }
    }

    HostRecordings(
            HostRecordingSettings settings,
            CycleSettings cycle,
            ObjectProvider<VdsmHostConnector> connectors,
            FleetReader fleet,
            HostAdministration administration,
            EngineClock clock,
            Workers workers) {
        this.settings = settings;
        this.cycle = cycle;
        this.connectors = connectors;
        this.fleet = fleet;
        this.administration = administration;
        this.clock = clock;
        this.workers = workers;
    }

    /** The longest recording, in seconds. */
    public int mostSeconds() {
        return (int) settings.length().toSeconds();
    }

    /** Most hosts of one recording. */
    public int mostHosts() {
        return settings.hosts();
    }

    /** The state. */
    public synchronized Status status() {
        look();
        Taken now = taken;
        return now == null
                ? new Status("none", List.of(), null, null, 0, 0, null, null, mostSeconds())
                : new Status(
                        now.isRunning() ? "running" : "stopped",
                        now.hosts(),
                        now.startedAt(),
                        now.seconds(),
                        now.writer().bytes(),
                        now.writer().lines(),
                        now.ended().get(),
                        deletion(now),
                        mostSeconds());
    }

    private Instant deletion(Taken now) {
        return now.startedAt().plusSeconds(now.seconds()).plus(settings.age());
    }

    /**
     * Starts a recording, which ends by itself; a stopped one is deleted. The engine requests
     * capabilities and VMs of the hosts at once, so that it begins with their state.
     *
     * @throws Refused if one is running, a host is not there, or the file cannot be written
     */
    public synchronized Status start(Set<HostId> hosts, int seconds) throws Refused {
        look();
        if (taken != null && taken.isRunning()) {
            throw new Refused("A recording is running; stop it first.");
        }
        VdsmHostConnector connector = connectors.getIfAvailable();
        if (connector == null) {
            throw new Refused("The hosts of this engine are not connected by VDSM's protocol.");
        }
        delete();
        Set<HostId> wanted = new LinkedHashSet<>(hosts);
        List<RecordedHost> known = new ArrayList<>();
        for (HostId id : wanted) {
            HostView host = fleet.host(id);
            if (host == null) {
                throw new Refused("One of the hosts was removed.");
            }
            known.add(recorded(id, host));
        }
        AtomicReference<@Nullable String> ended = new AtomicReference<>();
        try {
            Path file = Files.createTempFile("stillwater-hosts", ".recording");
            RecordingWriter writer =
                    new RecordingWriter(
                            new BufferedOutputStream(Files.newOutputStream(file)),
                            new RecordingWriter.Limits(settings.size().toBytes(), settings.texts()),
                            clock.nanoTime(),
                            version(),
                            cycle.interval().toMillis(),
                            known,
                            this::vm,
                            reason -> {
                                ended.compareAndSet(null, reason);
                                connector.listen(Set.of(), null);
                            });
            taken =
                    new Taken(
                            file,
                            writer,
                            known.stream().map(RecordedHost::name).toList(),
                            clock.now(),
                            clock.nanoTime(),
                            seconds,
                            ended);
            for (HostId host : wanted) {
                fleet.readingsOn(host)
                        .forEach(reading -> {
                            RecordedVm vm = vm(reading.id().toUuid());
                            if (vm != null) {
                                writer.vm(vm);
                            }
                        });
            }
            connector.listen(wanted, writer);
            if (ended.get() != null) {
                connector.listen(Set.of(), null); // its head filled it
            }
            wanted.forEach(administration::refresh);
        } catch (IOException e) {
            throw new Refused("The recording cannot be written: " + e.getMessage());
        }
        return status();
    }

    private static String version() {
        String version = HostRecordings.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }

    private static RecordedHost recorded(HostId id, HostView host) {
        return new RecordedHost(
                id.value(),
                host.state().definition().name(),
                host.state().definition().address(),
                host.state().status(),
                host.connected());
    }

    private @Nullable RecordedVm vm(UUID id) {
        VmView vm = fleet.vm(VmId.of(id));
        if (vm == null) {
            return null;
        }
        HostId on = vm.state().placement().runOn();
        HostId target = vm.state().placement().migratingTo();
        return new RecordedVm(
                id,
                vm.definition().name(),
                vm.definition().origin().isFound(),
                vm.definition().highlyAvailable(),
                vm.definition().leased(),
                vm.definition().memoryMebibytes(),
                vm.definition().cpus(),
                vm.state().runtime().status(),
                on == null ? null : on.value(),
                target == null ? null : target.value());
    }

    /**
     * Ends the recording, which stays until its age is over.
     *
     * @throws Refused if none is running
     */
    public synchronized Status end() throws Refused {
        look();
        if (taken == null || !taken.isRunning()) {
            throw new Refused("No recording is running.");
        }
        taken.writer().end("stopped");
        return status();
    }

    /**
     * Writes the stopped recording.
     *
     * @throws Refused if there is no stopped recording
     */
    public void writeTo(OutputStream out) throws IOException, Refused {
        Path file;
        synchronized (this) {
            look();
            if (taken == null || taken.isRunning()) {
                throw new Refused("There is no stopped recording.");
            }
            file = taken.file();
        }
        // A recording that is deleted meanwhile stays readable, since its file is open.
        Files.copy(file, out);
    }

    /** Whether {@link #writeTo} has something to write. */
    public synchronized boolean isStopped() {
        look();
        return taken != null && !taken.isRunning();
    }

    private void delete() {
        Taken now = taken;
        taken = null;
        if (now != null) {
            now.writer().end("stopped");
            try {
                Files.deleteIfExists(now.file());
            } catch (IOException e) {
                now.file().toFile().deleteOnExit();
            }
        }
    }

    /** Ends a recording at its time limit, and deletes an old one. */
    private synchronized void look() {
        Taken now = taken;
        if (now == null) {
            return;
        }
        // By monotonic time: the wall clock may be set meanwhile.
        Duration age = Duration.ofNanos(clock.nanoTime() - now.startedNanos());
        Duration length = Duration.ofSeconds(now.seconds());
        if (age.compareTo(length) >= 0) {
            now.writer().end("time");
        }
        if (age.compareTo(length.plus(settings.age())) > 0) {
            delete();
        }
    }

    @Override
    public synchronized void start() {
        if (worker == null) {
            worker = workers.periodic("host-recording", LOOK, this::look);
            worker.start();
        }
    }

    @Override
    public synchronized void stop() {
        if (worker != null) {
            boolean _ = worker.stop(Duration.ZERO);
            worker = null;
        }
        delete();
    }

    @Override
    public synchronized boolean isRunning() {
        return worker != null;
    }
}
