package org.stillwater.core.vm;

import java.util.List;

/**
 * The guest's network interfaces with a digest of the report they came from. Equal digests mean
 * equal reports, so that a decoder can reuse the known value without building a new one.
 *
 * @param digest 64-bit digest of the reported list; 0 stands for "no list reported"
 * @param nics the interfaces in the order reported
 */
public record GuestNics(long digest, List<GuestNic> nics) {

    /** No list was reported: the agent is not running. */
    public static final GuestNics NONE = new GuestNics(0, List.of());

    public GuestNics {
        nics = List.copyOf(nics);
    }

    /** The 32-bit form that {@code vm_dynamic.guest_agent_nics_hash} keeps; 0 for {@link #NONE}. */
    public int hash() {
        return Long.hashCode(digest);
    }
}
