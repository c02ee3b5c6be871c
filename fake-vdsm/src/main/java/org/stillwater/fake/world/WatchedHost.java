package org.stillwater.fake.world;

import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One host for a component that polls it without a wire. Thread-safe.
 *
 * <p>A VM's report has three parts: times, which move with every poll; numbers of its activity; and
 * the rest, which changes only with an event. {@link Vm#rest} returns a digest of the rest without
 * encoding it. So a reader of a million VMs requests a report only after a change.
 */
public final class WatchedHost {

    private static final double NANOS_QUARTERS = 4.0;

    private final FakeHost host;

    WatchedHost(FakeHost host) {
        this.host = host;
    }

    /** The hardware UUID that it reports. */
    public UUID uuid() {
        return UUID.fromString(host.uuid);
    }

    /** Its name. */
    public String name() {
        return host.name.value();
    }

    /** The address that consoles of its VMs have. */
    public String displayAddress() {
        return host.displayAddress();
    }

    /**
     * Lets something be read while nothing on the host changes.
     *
     * @param reading must not wait for another host, or for the world
     */
    public <T> T reading(Function<Moment, T> reading) {
        synchronized (host) {
            return reading.apply(new Moment(host.moment()));
        }
    }

    /** Takes the times of a VM. */
    public interface Times {
        /** The host's stamp, ms. */
        void stamp(long millis);

        /** Uptime of the guest. */
        void elapsed(long seconds);

        /** Time of the n-th reported interface's sample. */
        void nic(int index, double seconds);
    }

    /** Takes the numbers of a VM. */
    public interface Numbers {
        /** Processor time, % of one core. */
        void cpu(double user, double system);

        /** Memory used in the guest, %. */
        void memoryUsage(long percent);

        /** Free and unused memory in the guest. */
        void memory(long freeKibibytes, long unusedKibibytes);

        /** Bytes through the n-th reported interface. */
        void nic(int index, long received, long sent);

        /** Activity of the n-th reported disk; latencies in ns. */
        void disk(
                int index,
                double readRate,
                double writeRate,
                long readOperations,
                long writeOperations,
                double readLatency,
                double writeLatency,
                double flushLatency);
    }

    /** A moment on the host; only within {@link #reading}. */
    public final class Moment {

        private final HostMoment now;

        private Moment(HostMoment now) {
            this.now = now;
        }

        /** Virtual milliseconds. */
        public long millis() {
            return now.now();
        }

        /** Why the host does not answer, one clause; null if it does. */
        public @Nullable String trouble() {
            return switch (host.condition()) {
                case UP -> host.isSilent() ? "it has no power" : null;
                case RECOVERING -> "its agent recovers from a start";
                case OFF -> host.isSilent() ? "it has no power" : "it is switched off";
            };
        }

        /** Every VM in a poll's answer. */
        public void vms(Consumer<Vm> receiver) {
            for (Domain domain : host.domains()) {
                receiver.accept(new Vm(domain, now));
            }
        }
    }

    /** One VM; only within {@link #reading}. */
    public final class Vm {

        private final Domain domain;
        private final HostMoment now;

        private Vm(Domain domain, HostMoment now) {
            this.domain = domain;
            this.now = now;
        }

        /** Its id. */
        public UUID id() {
            return domain.machine.id;
        }

        /** A number that differs from VM to VM, for random draws. */
        public long seed() {
            return domain.machine.seed;
        }

        /** Interfaces that it may report. */
        public int nics() {
            return domain.machine.nics.size();
        }

        /** Disks that it may report. */
        public int disks() {
            return domain.machine.disks.size();
        }

        /**
         * A digest of everything that its report follows from, besides time. While it stays, times
         * and numbers of an earlier moment can be requested.
         */
        public long rest() {
            Machine machine = domain.machine;
            long at = now.now();
            long digest = mix(host.vdsmStarts(), text(domain.phase.name()));
            digest = mix(digest, text(domain.status(at)));
            digest = mix(digest, domain.runningSince);
            digest = mix(digest, domain.guestSince);
            digest = mix(digest, domain.deviceGeneration);
            digest = mix(digest, text(domain.pauseCode));
            digest = mix(digest, text(domain.clientAddress));
            digest = mix(digest, text(domain.agent.name()));
            digest = mix(digest, flags(at));
            digest = mix(digest, text(machine.userName));
            digest = mix(digest, text(machine.session));
            digest = mix(digest, System.identityHashCode(machine.nics));
            digest = mix(digest, System.identityHashCode(machine.disks));
            digest = mix(digest, machine.secretChanges());
            ActiveTime active = domain.active;
            digest = mix(digest, active == null ? 0 : active.changes());
            Exit exit = domain.exit;
            if (exit != null) {
                digest = mix(digest, exit.exitCode() * 1_000L + exit.reason());
                digest = mix(digest, text(domain.exitMessage));
            }
            Domain.Watchdog watchdog = domain.watchdog;
            if (watchdog != null) {
                digest = mix(digest, watchdog.wallMillis());
            }
            Departure departure = domain.departure;
            if (departure != null && departure.isUnderWay()) {
                digest = mix(digest, departure.progress(at, domain.migration));
            }
            for (BlockJob job : domain.jobs) {
                digest = mix(digest, job.isRunning(at) ? job.copied(at) : -1);
            }
            if (!host.slowdowns().isEmpty()) {
                digest = mix(digest, host.slowdowns().all().hashCode());
            }
            return digest;
        }

        private long flags(long at) {
            long flags = domain.agentKnown ? 1 : 0;
            flags = flags << 1 | (domain.responsive ? 1 : 0);
            flags = flags << 1 | (domain.isGuestKnown(at) ? 1 : 0);
            flags = flags << 1 | (domain.isPostCopySource() ? 1 : 0);
            flags = flags << 2 | Math.min(2, sampled(domain.runningSince, at));
            for (Nic nic : domain.machine.nics) {
                flags = flags * 3 + Math.min(2, sampled(nic.pluggedAt(), at));
            }
            for (Disk disk : domain.machine.disks) {
                flags = flags * 3 + Math.min(2, sampled(disk.pluggedAt(), at));
            }
            return flags;
        }

        private long sampled(long since, long at) {
            return domain.runningSince == Domain.NEVER
                    ? 0
                    : host.samplesBetween(Math.max(since, domain.runningSince), at);
        }

        /** Its entry in a poll's answer now: a list of one, JSON. */
        public byte[] report() {
            JsonOut out = new JsonOut(4096).array();
            VmSegments known = domain.segments;
            VmReport.poll(out, domain, now);
            domain.segments = known; // a single use: keeping the encoded parts would not pay
            return out.endArray().bytes();
        }

        /** Its times at an earlier moment, in virtual milliseconds. */
        public void times(long at, Times receiver) {
            HostMoment moment = host.momentAt(at);
            receiver.stamp(moment.stamp());
            if (!isRunning()) {
                return;
            }
            receiver.elapsed(domain.elapsedSeconds(at));
            if (Sample.of(domain, now) == null) {
                return;
            }
            int index = 0;
            for (Nic nic : domain.machine.nics) {
                if (domain.isSampledSince(nic.pluggedAt(), now.now())) {
                    receiver.nic(index++, moment.monotonicMillis() / 1000.0);
                }
            }
        }

        private boolean isRunning() {
            return !domain.isDown() && !domain.isPostCopySource();
        }

        /**
         * Its numbers at an earlier moment, in virtual milliseconds.
         *
         * @param idle whether to include numbers that never move
         */
        public void numbers(long at, boolean idle, Numbers receiver) {
            if (!isRunning()) {
                return;
            }
            Machine machine = domain.machine;
            HostMoment moment = host.momentAt(at);
            Sample sample = Sample.of(domain, moment);
            if (sample == null) {
                receiver.cpu(0, 0);
                receiver.memoryUsage(VmReport.memoryUsedPercent(domain, moment));
                return;
            }
            long hundredths = sample.cpuHundredths();
            long user = hundredths * 4 / 5;
            receiver.cpu(user / 100.0, (hundredths - user) / 100.0);
            receiver.memoryUsage(VmReport.memoryUsedPercent(domain, moment));
            if (machine.hasBalloonDriver()) {
                receiver.memory(sample.freeKib(machine), sample.unusedKib(machine));
            }
            int index = 0;
            for (Nic nic : machine.nics) {
                if (domain.isSampledSince(nic.pluggedAt(), at)) {
                    Sample.Traffic traffic = sample.traffic(nic);
                    receiver.nic(index++, traffic.received(), traffic.sent());
                }
            }
            index = 0;
            for (Disk disk : machine.disks) {
                if (disk.pluggedAt() == Domain.NEVER
                        || domain.isSampledSince(disk.pluggedAt(), at)) {
                    if (!disk.isCd()) {
                        disk(index, disk, sample.blockIo(disk), at, receiver);
                    } else if (idle) {
                        receiver.disk(index, 0, 0, VmReport.CD_READS, 0, 0, 0, 0);
                    }
                    index++;
                }
            }
        }

        private void disk(int index, Disk disk, Sample.BlockIo io, long at, Numbers receiver) {
            double factor =
                    host.slowdowns().isEmpty()
                            ? 1
                            : host.slowdowns().ofDisk(host, domain.machine, disk, at);
            long read = VmReport.slowed(io.readLatencyQuarters(), factor);
            long write = VmReport.slowed(io.writeLatencyQuarters(), factor);
            receiver.disk(
                    index,
                    io.readDelta() / (double) VmReport.SAMPLE_SECONDS,
                    io.writeDelta() / (double) VmReport.SAMPLE_SECONDS,
                    io.read() / VmReport.READ_SIZE,
                    io.written() / VmReport.WRITE_SIZE,
                    io.readDelta() == 0 ? 0 : read / NANOS_QUARTERS,
                    io.writeDelta() == 0 ? 0 : write / NANOS_QUARTERS,
                    io.writeDelta() == 0 ? 0 : (write * 2 + 1) / NANOS_QUARTERS);
        }
    }

    private static long mix(long digest, long more) {
        return Seeds.mix(digest ^ more);
    }

    private static long text(@Nullable String text) {
        return text == null ? 0 : text.hashCode() + 1L;
    }
}
