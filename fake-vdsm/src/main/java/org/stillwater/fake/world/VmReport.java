package org.stillwater.fake.world;

import static org.stillwater.fake.world.JsonOut.key;

/**
 * Writes a host's report about a VM: an entry of {@code getAllVmStats} (§3.3) and the content of
 * events (§4.4). Stateless; the caller holds the monitor of the host.
 */
final class VmReport {

    private static final byte[] STATUS_TIME = key("statusTime");
    private static final byte[] STATUS = key("status");
    private static final byte[] ELAPSED_TIME = key("elapsedTime");
    private static final byte[] PAUSE_CODE = key("pauseCode");
    private static final byte[] MIGRATION_PROGRESS = key("migrationProgress");
    private static final byte[] CPU_USER = key("cpuUser");
    private static final byte[] CPU_SYS = key("cpuSys");
    private static final byte[] CPU_USAGE = key("cpuUsage");
    private static final byte[] CPU_ACTUAL = key("cpuActual");
    private static final byte[] NETWORK = key("network");
    private static final byte[] RX = key("rx");
    private static final byte[] TX = key("tx");
    private static final byte[] SAMPLE_TIME = key("sampleTime");
    private static final byte[] DISKS = key("disks");
    private static final byte[] TRUE_SIZE = key("truesize");
    private static final byte[] APPARENT_SIZE = key("apparentsize");
    private static final byte[] READ_LATENCY = key("readLatency");
    private static final byte[] WRITE_LATENCY = key("writeLatency");
    private static final byte[] FLUSH_LATENCY = key("flushLatency");
    private static final byte[] WRITTEN_BYTES = key("writtenBytes");
    private static final byte[] WRITE_OPS = key("writeOps");
    private static final byte[] READ_OPS = key("readOps");
    private static final byte[] READ_BYTES = key("readBytes");
    private static final byte[] READ_RATE = key("readRate");
    private static final byte[] WRITE_RATE = key("writeRate");
    private static final byte[] BALLOON_INFO = key("balloonInfo");
    private static final byte[] BALLOON_MAX = key("balloon_max");
    private static final byte[] BALLOON_MIN = key("balloon_min");
    private static final byte[] BALLOON_CUR = key("balloon_cur");
    private static final byte[] BALLOON_TARGET = key("balloon_target");
    private static final byte[] BALLOONING_ENABLED = key("ballooning_enabled");
    private static final byte[] MEMORY_STATS = key("memoryStats");
    private static final byte[] MEM_TOTAL = key("mem_total");
    private static final byte[] MEM_UNUSED = key("mem_unused");
    private static final byte[] MEM_FREE = key("mem_free");
    private static final byte[] PAGING_AT_REST =
            JsonOut.ascii("\"swap_in\": 0, \"swap_out\": 0, \"majflt\": 0");
    private static final byte[] MINOR_FAULTS = key("minflt");
    private static final byte[] PAGE_FAULTS = key("pageflt");
    private static final byte[] VM_JOBS = key("vmJobs");
    private static final byte[] TUNING_AT_REST =
            JsonOut.ascii("\"vcpuQuota\": \"-1\", \"vcpuPeriod\": 100000");
    private static final byte[] MEM_USAGE = key("memUsage");
    private static final byte[] UNTOUCHED_CD =
            JsonOut.ascii(
                    "\"truesize\": \"0\", \"apparentsize\": \"0\", \"readLatency\": \"0\","
                            + " \"writeLatency\": \"0\", \"flushLatency\": \"0\","
                            + " \"writtenBytes\": \"0\", \"writeOps\": \"0\", \"readOps\": \"4\","
                            + " \"readBytes\": \"152\", \"readRate\": \"0.0\","
                            + " \"writeRate\": \"0.0\"");

    /** Bytes of a read and of a write, on average. */
    static final int READ_SIZE = 16_384;

    static final int WRITE_SIZE = 8_192;

    /** Operations that a CD drive has done since its start. */
    static final long CD_READS = 4;

    static final int SAMPLE_SECONDS = (int) (Meter.PERIOD_MILLIS / 1000);

    private VmReport() {}

    /** An entry of a poll. */
    static void poll(JsonOut out, Domain domain, HostMoment moment) {
        out.object().name(STATUS_TIME).numberText(moment.stamp());
        if (domain.isDown()) {
            down(out, domain);
        } else {
            VmSegments segments = segments(domain, moment.now());
            out.name(STATUS).text(domain.status(moment.now())).raw(segments.head());
            if (domain.isPostCopySource()) {
                postCopySource(out, domain, moment);
            } else {
                running(out, domain, segments, moment);
                guest(out, domain, segments, moment);
                if (segments.guestDetails() != null) {
                    out.raw(segments.guestDetails());
                }
            }
        }
        out.endObject();
    }

    /** An entry about a VM that the host does not have. */
    static void claim(JsonOut out, String vmId, String status, HostMoment moment) {
        out.object().name(STATUS_TIME).numberText(moment.stamp());
        claimed(out, vmId, status);
        out.endObject();
    }

    /** The status of a VM that the host does not have, in polls and events. */
    static void claimed(JsonOut out, String vmId, String status) {
        out.name(STATUS).text(status).name("vmId").text(vmId);
        if (status.equals("Down")) {
            out.name("exitCode")
                    .number(Exit.ERROR.exitCode())
                    .name("exitMessage")
                    .text("claimed")
                    .name("exitReason")
                    .number(Exit.ERROR.reason());
        }
    }

    /** {@code status} to {@code timeOffset} of a VM that is down, for polls and events (§4.4). */
    static void down(JsonOut out, Domain domain) {
        Exit exit = domain.exit == null ? Exit.ERROR : domain.exit;
        out.name(STATUS)
                .text("Down")
                .name("vmId")
                .text(domain.machine.idText)
                .name("exitCode")
                .number(exit.exitCode())
                .name("exitMessage")
                .text(domain.exitMessage)
                .name("exitReason")
                .number(exit.reason());
        if (domain.machine.timeOffsetSeconds != 0) {
            // VDSM knows an offset only after the guest has set its clock.
            out.name("timeOffset").numberText(domain.machine.timeOffsetSeconds);
        }
    }

    /** Status and running part, as an event carries it: without names, without defaults. */
    static void startedEvent(JsonOut out, Domain domain, HostMoment moment) {
        VmSegments segments = segments(domain, moment.now());
        out.name(STATUS).text(domain.status(moment.now()));
        running(out, domain, segments, moment);
        if (segments.guestDetails() != null) {
            out.raw(segments.guestDetails());
        }
    }

    /** Status and guest part, as an event of the guest agent carries it. */
    static void agentEvent(JsonOut out, Domain domain, HostMoment moment) {
        VmSegments segments = segments(domain, moment.now());
        out.name(STATUS).text(domain.status(moment.now()));
        guest(out, domain, segments, moment);
        if (segments.guestDetails() != null) {
            out.raw(segments.guestDetails());
        }
    }

    private static VmSegments segments(Domain domain, long now) {
        boolean guestKnown = domain.isGuestKnown(now);
        VmSegments segments = domain.segments;
        if (segments == null || segments.guestKnown() != guestKnown) {
            segments = VmSegments.of(domain, guestKnown);
            domain.segments = segments;
        }
        return segments;
    }

    private static void postCopySource(JsonOut out, Domain domain, HostMoment moment) {
        progress(out, domain, moment.now());
        out.name(PAUSE_CODE).text("POSTCOPY");
    }

    private static void progress(JsonOut out, Domain domain, long now) {
        Departure departure = domain.departure;
        if (departure != null && departure.isUnderWay()) {
            out.name(MIGRATION_PROGRESS).number(departure.progress(now, domain.migration));
        }
    }

    private static void running(
            JsonOut out, Domain domain, VmSegments segments, HostMoment moment) {
        long now = moment.now();
        out.name(ELAPSED_TIME).numberText(domain.elapsedSeconds(now)).raw(segments.beforeCpu());
        progress(out, domain, now);
        Sample sample = Sample.of(domain, moment);
        if (sample == null) {
            unsampled(out, domain);
        } else {
            cpu(out, domain, sample);
            if (!segments.nicList().isEmpty()) {
                network(out, domain, segments, sample, moment);
            }
            disks(out, domain, segments, sample, now);
            balloon(out, domain);
            out.raw(segments.tuning());
            if (domain.machine.hasBalloonDriver()) {
                memory(out, domain.machine, sample);
            }
        }
        out.raw(segments.display());
        if (domain.host.samplesBetween(domain.runningSince, now) >= 1) {
            jobs(out, domain, now);
        }
        out.raw(TUNING_AT_REST);
    }

    private static void unsampled(JsonOut out, Domain domain) {
        out.name(CPU_USER).text("0.00").name(CPU_SYS).text("0.00").name(CPU_USAGE).text("0.00");
        if (domain.host.profile().atLeast(Profile.V4_50)) {
            out.name(CPU_ACTUAL).bool(false);
        }
    }

    private static void cpu(JsonOut out, Domain domain, Sample sample) {
        long hundredths = sample.cpuHundredths();
        long user = hundredths * 4 / 5;
        out.name(CPU_USER)
                .hundredthsText(user)
                .name(CPU_SYS)
                .hundredthsText(hundredths - user)
                .name(CPU_USAGE)
                .numberText(sample.cpuNanos());
        if (domain.host.profile().atLeast(Profile.V4_50)) {
            out.name(CPU_ACTUAL).bool(true);
        }
    }

    private static void network(
            JsonOut out, Domain domain, VmSegments segments, Sample sample, HostMoment moment) {
        out.name(NETWORK).object();
        for (int i = 0; i < segments.nics().length; i++) {
            Nic nic = segments.nicList().get(i);
            if (!domain.isSampledSince(nic.pluggedAt(), moment.now())) {
                continue;
            }
            Sample.Traffic traffic = sample.traffic(nic);
            out.raw(segments.nics()[i])
                    .name(RX)
                    .numberText(traffic.received())
                    .name(TX)
                    .numberText(traffic.sent())
                    .name(SAMPLE_TIME)
                    .secondsFloat(moment.monotonicMillis())
                    .endObject();
        }
        out.endObject();
    }

    private static void disks(
            JsonOut out, Domain domain, VmSegments segments, Sample sample, long now) {
        out.name(DISKS).object();
        for (int i = 0; i < segments.images().length; i++) {
            Disk disk = segments.diskList().get(i);
            if (disk.pluggedAt() != Long.MIN_VALUE
                    && !domain.isSampledSince(disk.pluggedAt(), now)) {
                continue;
            }
            out.name(disk.device()).object();
            if (disk.isCd()) {
                out.raw(UNTOUCHED_CD);
            } else {
                double factor =
                        domain.host.slowdowns().isEmpty()
                                ? 1
                                : domain.host
                                        .slowdowns()
                                        .ofDisk(domain.host, domain.machine, disk, now);
                disk(out, disk, sample.blockIo(disk), factor);
                byte[] image = segments.images()[i];
                if (image.length > 0) {
                    out.raw(image);
                }
            }
            out.endObject();
        }
        out.endObject();
    }

    private static void disk(JsonOut out, Disk disk, Sample.BlockIo io, double factor) {
        long read = slowed(io.readLatencyQuarters(), factor);
        long write = slowed(io.writeLatencyQuarters(), factor);
        out.name(TRUE_SIZE)
                .numberText(disk.allocatedBytes())
                .name(APPARENT_SIZE)
                .numberText(disk.capacityBytes());
        latency(out.name(READ_LATENCY), io.readDelta(), read);
        latency(out.name(WRITE_LATENCY), io.writeDelta(), write);
        latency(out.name(FLUSH_LATENCY), io.writeDelta(), write * 2 + 1);
        out.name(WRITTEN_BYTES)
                .numberText(io.written())
                .name(WRITE_OPS)
                .numberText(io.written() / WRITE_SIZE)
                .name(READ_OPS)
                .numberText(io.read() / READ_SIZE)
                .name(READ_BYTES)
                .numberText(io.read())
                .name(READ_RATE)
                .quotientText(io.readDelta(), SAMPLE_SECONDS)
                .name(WRITE_RATE)
                .quotientText(io.writeDelta(), SAMPLE_SECONDS);
    }

    static long slowed(long quarters, double factor) {
        return factor == 1 ? quarters : Math.round(quarters * factor);
    }

    private static void latency(JsonOut out, long bytes, long quarters) {
        if (bytes == 0) {
            out.text("0");
        } else {
            out.quartersText(quarters);
        }
    }

    private static void balloon(JsonOut out, Domain domain) {
        Machine machine = domain.machine;
        if (!machine.balloon) {
            out.name(BALLOON_INFO).object().endObject();
            return;
        }
        long maximum = machine.memoryKib();
        boolean enabled = machine.ballooning || machine.definition != null;
        out.name(BALLOON_INFO)
                .object()
                .name(BALLOON_MAX)
                .numberText(maximum)
                .name(BALLOON_MIN)
                .numberText(enabled ? machine.guaranteedMib * 1024L : maximum)
                .name(BALLOON_CUR)
                .numberText(maximum)
                .name(BALLOON_TARGET)
                .numberText(maximum);
        if (domain.host.profile().atLeast(Profile.V4_40)) {
            out.name(BALLOONING_ENABLED).bool(enabled);
        }
        out.endObject();
    }

    private static void memory(JsonOut out, Machine machine, Sample sample) {
        long faults = sample.minorFaults();
        out.name(MEMORY_STATS)
                .object()
                .name(MEM_TOTAL)
                .numberText(machine.guestMemoryKib())
                .name(MEM_UNUSED)
                .numberText(sample.unusedKib(machine))
                .name(MEM_FREE)
                .numberText(sample.freeKib(machine))
                .raw(PAGING_AT_REST)
                .name(MINOR_FAULTS)
                .number(faults)
                .name(PAGE_FAULTS)
                .number(faults)
                .endObject();
    }

    private static void jobs(JsonOut out, Domain domain, long now) {
        out.name(VM_JOBS).object();
        for (BlockJob job : domain.jobs) {
            if (job.isRunning(now)) {
                out.name(job.id().toString())
                        .object()
                        .name("blockJobType")
                        .text("commit")
                        .name("drive")
                        .text(job.disk().device())
                        .name("id")
                        .text(job.id().toString())
                        .name("imgUUID")
                        .text(String.valueOf(job.disk().image()))
                        .name("jobType")
                        .text("block")
                        .name("bandwidth")
                        .number(0)
                        .name("cur")
                        .numberText(job.copied(now))
                        .name("end")
                        .numberText(job.bytes())
                        .endObject();
            }
        }
        out.endObject();
    }

    private static void guest(JsonOut out, Domain domain, VmSegments segments, HostMoment moment) {
        out.raw(segments.guestHead())
                .name(MEM_USAGE)
                .numberText(memoryUsedPercent(domain, moment))
                .raw(segments.guestDefaults());
    }

    /** Percent of the guest's memory in use; 0 if unknown. */
    static long memoryUsedPercent(Domain domain, HostMoment moment) {
        boolean told =
                domain.isGuestKnown(moment.now())
                        || (domain.host.profile().atLeast(Profile.V4_30)
                                && domain.agent != Domain.Agent.REBOOTING);
        Machine machine = domain.machine;
        Sample sample = told && machine.hasBalloonDriver() ? Sample.of(domain, moment) : null;
        return sample == null ? 0 : 100 - sample.freeKib(machine) * 100 / machine.guestMemoryKib();
    }
}
