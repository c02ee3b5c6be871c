package org.stillwater.server.api.operation;

import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.OpenHostWork;
import org.stillwater.core.store.OpenWork;

/** Open work about a VM or about a host, as one list shows both. */
sealed interface WorkEntry {

    /** The oldest first; of the same age, by key. */
    Comparator<WorkEntry> OLDEST_FIRST =
            Comparator.comparing(WorkEntry::since).thenComparing(WorkEntry::key);

    /** When monitoring came to the conclusion. */
    Instant since();

    /** Unique key of the work in the list, as text without spaces. */
    String key();

    /** Name of the work's kind. */
    String kind();

    /** The VM it is about, null if it is about a host. */
    @Nullable VmId vmId();

    /** The host it is about or follows from, null for none. */
    @Nullable HostId hostId();

    /**
     * Work about a VM.
     *
     * @param open the open work
     */
    record OfVm(OpenWork open) implements WorkEntry {

        @Override
        public Instant since() {
            return open.since();
        }

        @Override
        public String key() {
            return String.format(
                    Locale.ROOT,
                    "vm/%s/%d/%d",
                    open.work().vmId(),
                    open.work().kind().code(),
                    open.work().generation());
        }

        @Override
        public String kind() {
            return open.work().kind().label();
        }

        @Override
        public VmId vmId() {
            return open.work().vmId();
        }

        @Override
        public @Nullable HostId hostId() {
            return open.work().host();
        }
    }

    /**
     * Work about a host.
     *
     * @param open the open work
     */
    record OfHost(OpenHostWork open) implements WorkEntry {

        @Override
        public Instant since() {
            return open.since();
        }

        @Override
        public String key() {
            return String.format(
                    Locale.ROOT,
                    "host/%s/%d/%d/%d",
                    open.work().host(),
                    open.work().kind().code(),
                    open.work().episode(),
                    open.work().attempt());
        }

        @Override
        public String kind() {
            return open.work().kind().label();
        }

        @Override
        public @Nullable VmId vmId() {
            return null;
        }

        @Override
        public HostId hostId() {
            return open.work().host();
        }
    }
}
