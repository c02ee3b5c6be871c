package org.stillwater.server.disk;

import org.stillwater.server.settings.DiskSettings;

/** How full a disk is, for the engine. */
public enum DiskLevel {
    /** Enough is free. */
    ENOUGH,
    /** An operator should make room. */
    LOW,
    /** History is not written, so that the remaining space serves state and operations. */
    HISTORY_STOPPED;

    /**
     * After a stop this much more than the limit must be free, in percent: else it would flicker.
     */
    private static final int RESUMED_AT = 125;

    /**
     * The level after a look.
     *
     * @param freeBytes free bytes
     */
    DiskLevel next(long freeBytes, DiskSettings settings) {
        long stop = settings.stopHistoryBelow().toBytes();
        long resume = stop / 100 * RESUMED_AT;
        if (freeBytes < stop || (this == HISTORY_STOPPED && freeBytes < resume)) {
            return HISTORY_STOPPED;
        }
        return freeBytes < settings.warnBelow().toBytes() ? LOW : ENOUGH;
    }
}
