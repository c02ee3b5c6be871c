package org.stillwater.server.disk;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.stillwater.server.settings.DiskSettings;

/**
 * Looks at the free space of the embedded database's disk and remembers the level. It logs each
 * change of the level once. Thread-safe; {@link #level()} and {@link #historyStop()} cost a read of
 * memory.
 */
public final class DiskWatch {

    private static final Logger log = LoggerFactory.getLogger(DiskWatch.class);
    private static final long MEBIBYTE = 1024 * 1024;

    private final @Nullable Path folder;
    private final DiskSettings settings;
    private final Space space;
    private volatile DiskLevel level = DiskLevel.ENOUGH;
    private volatile long freeBytes = -1;

    /** How much is free; a file system in operation, a number in tests. */
    @FunctionalInterface
    interface Space {

        /** Bytes that this program may still write into the file system of a folder. */
        long freeBytes(Path folder) throws IOException;
    }

    /**
     * A watch.
     *
     * @param folder the embedded database's folder; null if another server has the database
     */
    public DiskWatch(@Nullable Path folder, DiskSettings settings, MeterRegistry meters) {
        this(folder, settings, meters, each -> Files.getFileStore(each).getUsableSpace());
    }

    DiskWatch(@Nullable Path folder, DiskSettings settings, MeterRegistry meters, Space space) {
        this.folder = folder;
        this.settings = settings;
        this.space = space;
        if (folder != null) {
            Gauge.builder("stillwater.disk.free", this, watch -> watch.freeBytes)
                    .description("Free on the disk of the embedded database")
                    .baseUnit("bytes")
                    .register(meters);
        }
    }

    /** Whether there is a disk to watch. */
    public boolean watches() {
        return folder != null;
    }

    /** Looks once. */
    public void look() {
        Path present = folder;
        if (present == null) {
            return;
        }
        long free;
        try {
            free = space.freeBytes(present);
        } catch (IOException e) {
            log.debug("The free space of {} is unknown: {}", present, e.toString());
            return;
        }
        freeBytes = free;
        DiskLevel before = level;
        DiskLevel now = before.next(free, settings);
        level = now;
        if (now != before) {
            switch (now) {
                case ENOUGH -> log.info("The disk of {} has {} MiB free again", present, mib());
                case LOW ->
                        log.warn(
                                "The disk of {} has {} MiB free: make room; below {} MiB history is"
                                        + " not written",
                                present,
                                mib(),
                                settings.stopHistoryBelow().toMegabytes());
                case HISTORY_STOPPED ->
                        log.warn(
                                "The disk of {} has {} MiB free: history is not written until there"
                                        + " is room; monitoring and commands go on",
                                present,
                                mib());
            }
        }
    }

    private long mib() {
        return freeBytes / MEBIBYTE;
    }

    /** The level at the last look. */
    public DiskLevel level() {
        return level;
    }

    /** Bytes free at the last look, -1 before it. */
    public long freeBytes() {
        return freeBytes;
    }

    /** Why history is not written; null while it is. */
    public @Nullable String historyStop() {
        return level == DiskLevel.HISTORY_STOPPED
                ? "the disk of the database has %d MiB free, less than stillwater.disk.stop-history-below"
                        .formatted(mib())
                : null;
    }
}
