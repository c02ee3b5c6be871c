package org.stillwater.server.api.web;

/**
 * Hash of an answer's inputs, in 128 bits: while no input changes, the answer is the same byte for
 * byte. Used by one thread.
 */
public final class EntityTag {

    private static final long FIRST = 0x9E37_79B9_7F4A_7C15L;
    private static final long SECOND = 0xC2B2_AE3D_27D4_EB4FL;

    private long one = FIRST;
    private long two = SECOND;

    public EntityTag add(long value) {
        one = Long.rotateLeft((one ^ value) * 0xFF51_AFD7_ED55_8CCDL, 31);
        two = Long.rotateLeft(two + value * 0xC4CE_B9FE_1A85_EC53L, 27) * 0x9FB2_1C65_1E98_DF25L;
        two ^= two >>> 32;
        return this;
    }

    public EntityTag add(CharSequence text) {
        for (int i = 0; i < text.length(); i++) {
            add(text.charAt(i));
        }
        return add(-1 - text.length());
    }

    /** The tag as it stands in the header, quotes included. */
    public String quoted() {
        return "\"%016x%016x\"".formatted(one ^ (one >>> 29), two ^ (two >>> 31));
    }
}
