package org.stillwater.monitoring.vm;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.definition.ExternalDataKind;
import org.stillwater.core.id.HostId;

/**
 * Memory's data about the TPM and NVRAM of one VM: hashes, never the data. Thread-safe.
 *
 * <p>While the VM runs its data is saved when its reported hash is not the saved one. The last word
 * about it is only there when the VM has stopped, and is lost with the host's record of the VM: it
 * is fetched once more then, so that until that is done, or was tried often enough, the VM counts
 * as unsaved.
 *
 * <p>Each kind is requested from one host at a time, the responsible one. A query to another host
 * cancels that to the former: a missing or late answer of a host that the VM has left does not
 * concern it.
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
        private @Nullable HostId asked;
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
     * The running VM was reported with this hash by the host that is responsible for it.
     *
     * @return whether its data must be fetched from there
     */
    public synchronized boolean reported(ExternalDataKind kind, String hash, HostId host) {
        Kind one = of(kind);
        one.exists = true;
        one.finished = false;
        one.failures = 0;
        return !host.equals(one.asked) && !hash.equals(one.savedHash);
    }

    /** Hash of the data that is saved; null if none is. */
    public synchronized @Nullable String savedHash(ExternalDataKind kind) {
        return of(kind).savedHash;
    }

    /** Whether the VM has data that may be unsaved in its last state. */
    public synchronized boolean isUnsaved() {
        for (Kind kind : kinds) {
            if (kind.exists && !kind.finished) {
                return true;
            }
        }
        return false;
    }

    /** The kinds of a VM that stopped on a host that are neither finished nor requested there. */
    public synchronized List<ExternalDataKind> unfinished(HostId host) {
        List<ExternalDataKind> unfinished = new ArrayList<>(KINDS.length);
        for (ExternalDataKind kind : KINDS) {
            Kind one = of(kind);
            if (one.exists && !one.finished && !host.equals(one.asked)) {
                unfinished.add(kind);
            }
        }
        return unfinished;
    }

    /** The data is being fetched from this host, and from no other; false if it was before. */
    public synchronized boolean begin(ExternalDataKind kind, HostId host) {
        Kind one = of(kind);
        if (host.equals(one.asked)) {
            return false;
        }
        one.asked = host;
        return true;
    }

    /** Whether the data is being fetched from this host. */
    public synchronized boolean isAsked(ExternalDataKind kind, HostId host) {
        return host.equals(of(kind).asked);
    }

    /** The query to this host is cancelled, and its answer does not count. */
    public synchronized void letGo(ExternalDataKind kind, HostId host) {
        Kind one = of(kind);
        if (host.equals(one.asked)) {
            one.asked = null;
        }
    }

    /** The data with this hash, fetched from this host, is saved. */
    public synchronized void saved(ExternalDataKind kind, HostId host, String hash, boolean last) {
        Kind one = of(kind);
        if (host.equals(one.asked)) {
            one.asked = null;
            one.savedHash = hash;
            one.finished |= last;
        }
    }

    /**
     * It was not saved this time.
     *
     * @param last whether the VM has stopped, so that attempts are counted
     * @param certain whether the host has no data, so that further attempts are useless
     * @return whether the data is abandoned
     */
    public synchronized boolean failed(
            ExternalDataKind kind, HostId host, boolean last, boolean certain) {
        Kind one = of(kind);
        if (!host.equals(one.asked)) {
            return false;
        }
        one.asked = null;
        if (last && (++one.failures >= MOST_ATTEMPTS || certain)) {
            one.finished = true;
        }
        return last && one.finished;
    }
}
