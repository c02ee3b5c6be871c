package org.stillwater.vdsm.client;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.vdsm.wire.NicField;

/**
 * Decodes the objects in a host's statistics (protocol page §3.5). Each method takes the reader on
 * the first token of one; what is no object is null, and counted.
 */
final class NumbersDecoder {
    private NumbersDecoder() {}

    static HostStatistics.@Nullable HugePages hugePages(HostReader reader) {
        if (isNone(reader)) {
            return null;
        }
        Map<String, Long> pages = reader.map(reader::whole);
        return new HostStatistics.HugePages(
                pages.get("nr_hugepages"),
                pages.get("free_hugepages"),
                pages.get("vm.free_hugepages"));
    }

    static HostStatistics.@Nullable Nic nic(HostReader reader) {
        if (isNone(reader)) {
            return null;
        }
        Counters counters = new Counters();
        reader.members(name -> counters.read(name, reader));
        return new HostStatistics.Nic(
                counters.up,
                counters.speed,
                counters.received,
                counters.sent,
                counters.receiveDropped,
                counters.sendDropped,
                counters.sampleTime);
    }

    private static final class Counters {
        private @Nullable Boolean up;
        private @Nullable Integer speed;
        private @Nullable Long received;
        private @Nullable Long sent;
        private @Nullable Long receiveDropped;
        private @Nullable Long sendDropped;
        private @Nullable Double sampleTime;

        private void read(String name, HostReader reader) {
            switch (name) {
                case NicField.STATE -> up = isUp(reader.text());
                case NicField.SPEED -> speed = reader.integer();
                case NicField.RX -> received = counter(reader);
                case NicField.TX -> sent = counter(reader);
                case NicField.RX_DROPPED -> receiveDropped = counter(reader);
                case NicField.TX_DROPPED -> sendDropped = counter(reader);
                case NicField.SAMPLE_TIME -> sampleTime = reader.number();
                default -> reader.skip();
            }
        }

        private static @Nullable Boolean isUp(@Nullable String state) {
            return state == null ? null : (Boolean) state.equals("up");
        }

        /** No counter is negative. */
        private static @Nullable Long counter(HostReader reader) {
            Long count = reader.whole();
            return count == null || count < 0 ? null : count;
        }
    }

    static HostStatistics.@Nullable StorageDomain storageDomain(HostReader reader) {
        if (isNone(reader)) {
            return null;
        }
        Domain domain = new Domain();
        reader.members(name -> domain.read(name, reader));
        return new HostStatistics.StorageDomain(
                domain.code,
                domain.lastCheck,
                domain.delay,
                domain.valid,
                domain.version,
                domain.acquired,
                domain.actual);
    }

    private static final class Domain {
        private @Nullable Integer code;
        private @Nullable Double lastCheck;
        private @Nullable Double delay;
        private @Nullable Boolean valid;
        private @Nullable Integer version;
        private @Nullable Boolean acquired;
        private @Nullable Boolean actual;

        private void read(String name, HostReader reader) {
            switch (name) {
                case "code" -> code = reader.integer();
                case "lastCheck" -> lastCheck = reader.number();
                case "delay" -> delay = reader.number();
                case "valid" -> valid = reader.truth();
                case "version" -> version = reader.integer();
                case "acquired" -> acquired = reader.truth();
                case "actual" -> actual = reader.truth();
                default -> reader.skip();
            }
        }
    }

    static HostStatistics.@Nullable Multipath multipath(HostReader reader) {
        if (isNone(reader)) {
            return null;
        }
        Paths paths = new Paths();
        reader.members(name -> {
            switch (name) {
                case "valid_paths" -> paths.valid = reader.integer();
                case "failed_paths" -> paths.failed = reader.texts();
                default -> reader.skip();
            }
        });
        return new HostStatistics.Multipath(paths.valid, paths.failed);
    }

    private static final class Paths {
        private @Nullable Integer valid;
        private List<String> failed = List.of();
    }

    static HostStatistics.@Nullable V2vJob v2vJob(HostReader reader) {
        if (isNone(reader)) {
            return null;
        }
        Job job = new Job();
        reader.members(name -> {
            switch (name) {
                case "status" -> job.status = reader.textOrNone();
                case "description" -> job.description = reader.textOrNone();
                case "progress" -> job.progress = reader.integer();
                default -> reader.skip();
            }
        });
        return new HostStatistics.V2vJob(job.status, job.description, job.progress);
    }

    private static final class Job {
        private @Nullable String status;
        private @Nullable String description;
        private @Nullable Integer progress;
    }

    private static boolean isNone(HostReader reader) {
        if (reader.isObject()) {
            return false;
        }
        reader.skipMisfit();
        return true;
    }
}
