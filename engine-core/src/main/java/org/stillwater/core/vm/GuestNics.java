package org.stillwater.core.vm;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The guest's network interfaces with a digest of the report they came from. Equal digests mean
 * equal reports, so that a decoder can reuse the known value without building a new one.
 *
 * <p>Immutable. Kept in one array of bytes, because every VM has them, and hardly ever a reader:
 * {@link #nics()} makes the list anew for each call.
 */
public final class GuestNics {

    /** No list was reported: the agent is not running. */
    public static final GuestNics NONE = new GuestNics(0, List.of());

    private final long digest;
    private final byte[] packed;

    /**
     * Interfaces of one report.
     *
     * @param digest 64-bit digest of the reported list; 0 stands for "no list reported"
     * @param nics the interfaces in the order reported; copied
     */
    public GuestNics(long digest, List<GuestNic> nics) {
        this.digest = digest;
        this.packed = PackedNics.pack(nics);
    }

    /** 64-bit digest of the reported list; 0 stands for "no list reported". */
    public long digest() {
        return digest;
    }

    /** The interfaces in the order reported: a new list for each call. */
    public List<GuestNic> nics() {
        return PackedNics.unpack(packed);
    }

    /** The 32-bit form that {@code vm_dynamic.guest_agent_nics_hash} keeps; 0 for {@link #NONE}. */
    public int hash() {
        return Long.hashCode(digest);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof GuestNics that
                        && digest == that.digest
                        && Arrays.equals(packed, that.packed));
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(digest) + Arrays.hashCode(packed);
    }

    @Override
    public String toString() {
        return "GuestNics[digest=" + digest + ", nics=" + nics() + "]";
    }
}
