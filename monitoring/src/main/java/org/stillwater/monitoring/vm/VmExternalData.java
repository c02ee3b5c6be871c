package org.stillwater.monitoring.vm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.model.ExternalDataKind;

/**
 * What memory holds about the TPM and NVRAM data of one VM: hashes, never the data. Thread-safe.
 *
 * <p>While the VM runs its data is saved when its reported hash is not the saved one. The last word
 * about it is only there when the VM has stopped, and is lost with the host's record of the VM: it
 * is fetched once more then, so that until that is done, or was tried often enough, the VM counts
 * as unsaved.
 */
public final class VmExternalData {

    private static final ExternalDataKind[] KINDS = ExternalDataKind.values();

    /** Attempts at each kind of a stopped VM's data (monitoring specification §4.6.1). */
    public static final int MOST_ATTEMPTS = 3;

    private final Kind[] kinds = new Kind[KINDS.length];

    /** One kind of data. */
    private static final class Kind {
        private @Nullable String savedHash;
        private boolean exists;
        private boolean underWay;
        private boolean finished;
        private int failures;
    }

    VmExternalData() {
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = new Kind();
        }
    }

    private Kind of(ExternalDataKind kind) {
        return kinds[kind.code()];
    }

    /** The database holds data with this hash. */
    public synchronized void recovered(ExternalDataKind kind, String hash) {
        of(kind).exists = true;
        of(kind).savedHash = hash;
    }

    /**
     * The running VM was reported with this hash.
     *
     * @return whether its data is to be fetched
     */
    public synchronized boolean reported(ExternalDataKind kind, String hash) {
        Kind one = of(kind);
        one.exists = true;
        one.finished = false;
        one.failures = 0;
        return !one.underWay && !hash.equals(one.savedHash);
    }

    /** Hash of the data that is saved; null if none is. */
    public synchronized @Nullable String savedHash(ExternalDataKind kind) {
        return of(kind).savedHash;
    }

    /** Whether the VM has data whose last state may not be saved. */
    public synchronized boolean isUnsaved() {
        for (Kind kind : kinds) {
            if (kind.exists && !kind.finished) {
                return true;
            }
        }
        return false;
    }

    /** The kinds of a stopped VM that are neither finished nor under way. */
    public synchronized List<ExternalDataKind> unfinished() {
        List<ExternalDataKind> unfinished = new ArrayList<>(KINDS.length);
        for (ExternalDataKind kind : KINDS) {
            Kind one = of(kind);
            if (one.exists && !one.finished && !one.underWay) {
                unfinished.add(kind);
            }
        }
        return unfinished;
    }

    /** The data is being fetched; false if it was before. */
    public synchronized boolean begin(ExternalDataKind kind) {
        if (of(kind).underWay) {
            return false;
        }
        of(kind).underWay = true;
        return true;
    }

    /** The data with this hash is saved. */
    public synchronized void saved(ExternalDataKind kind, String hash, boolean last) {
        Kind one = of(kind);
        one.underWay = false;
        one.savedHash = hash;
        one.finished |= last;
    }

    /**
     * It was not saved this time.
     *
     * @param last whether the VM has stopped, so that attempts are counted
     * @return whether it is given up
     */
    public synchronized boolean failed(ExternalDataKind kind, boolean last) {
        Kind one = of(kind);
        one.underWay = false;
        if (last && ++one.failures >= MOST_ATTEMPTS) {
            one.finished = true;
        }
        return last && one.finished;
    }
}
