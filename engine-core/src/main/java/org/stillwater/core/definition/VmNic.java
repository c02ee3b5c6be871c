package org.stillwater.core.definition;

import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A network interface in a VM's definition. Immutable; equal to one with the same values.
 *
 * <p>The engine keeps one or two for each VM, so it keeps identity and address as numbers and a
 * usual name once: 48 bytes instead of 152.
 */
public final class VmNic {

    private static final HexFormat MAC = HexFormat.ofDelimiter(":");
    private static final int MAC_CHARACTERS = 17;

    /** A power of two; most interfaces of a fleet have one of a few names. */
    private static final int PLACES = 1 << 8;

    /** Without a lock: a text is immutable, so a thread sees it whole or not at all. */
    private static final @Nullable String[] NAMES = new @Nullable String[PLACES];

    private final long idUpper;
    private final long idLower;

    /** The six bytes of the address; without meaning if {@link #otherMac} is not null. */
    private final long macBytes;

    private final int speedMegabitsPerSecond;
    private final String name;

    /** The address, if it is not in the usual form; else null. */
    private final @Nullable String otherMac;

    private final @Nullable UUID vnicProfile;

    /**
     * An interface.
     *
     * @param id identity of the interface
     * @param name name in the definition, for example {@code nic1}
     * @param mac lower-case MAC address with colons
     * @param vnicProfile the vNIC profile, null for none
     * @param speedMegabitsPerSecond nominal speed; the base of usage percentages
     */
    public VmNic(
            UUID id,
            String name,
            String mac,
            @Nullable UUID vnicProfile,
            int speedMegabitsPerSecond) {
        this(
                id.getMostSignificantBits(),
                id.getLeastSignificantBits(),
                shared(name),
                bytes(mac),
                isUsual(mac) ? null : mac,
                vnicProfile,
                speedMegabitsPerSecond);
    }

    private VmNic(
            long idUpper,
            long idLower,
            String name,
            long macBytes,
            @Nullable String otherMac,
            @Nullable UUID vnicProfile,
            int speedMegabitsPerSecond) {
        this.idUpper = idUpper;
        this.idLower = idLower;
        this.name = name;
        this.macBytes = macBytes;
        this.otherMac = otherMac;
        this.vnicProfile = vnicProfile;
        this.speedMegabitsPerSecond = speedMegabitsPerSecond;
    }

    /** The equal name at its place; this one, which takes the place, if there is none. */
    private static String shared(String name) {
        int hash = name.hashCode();
        int place = (hash ^ (hash >>> Byte.SIZE)) & (PLACES - 1);
        String there = NAMES[place];
        if (there != null && there.equals(name)) {
            return there;
        }
        NAMES[place] = name;
        return name;
    }

    private static boolean isUsual(String mac) {
        return mac.length() == MAC_CHARACTERS && text(bytes(mac)).equals(mac);
    }

    /** Six bytes by the digits at their positions; 0 for a text of another form. */
    private static long bytes(String mac) {
        long bytes = 0;
        for (int at = 0; at < MAC_CHARACTERS; at += 3) {
            if (mac.length() != MAC_CHARACTERS
                    || !HexFormat.isHexDigit(mac.charAt(at))
                    || !HexFormat.isHexDigit(mac.charAt(at + 1))) {
                return 0;
            }
            bytes = (bytes << Byte.SIZE) | HexFormat.fromHexDigits(mac, at, at + 2);
        }
        return bytes;
    }

    private static String text(long bytes) {
        byte[] octets = new byte[6];
        for (int i = 0; i < octets.length; i++) {
            octets[i] = (byte) (bytes >>> (Byte.SIZE * (octets.length - 1 - i)));
        }
        return MAC.formatHex(octets);
    }

    /** Identity of the interface. */
    public UUID id() {
        return new UUID(idUpper, idLower);
    }

    /** Name in the definition, for example {@code nic1}. */
    public String name() {
        return name;
    }

    /** Lower-case MAC address with colons. */
    public String mac() {
        return otherMac == null ? text(macBytes) : otherMac;
    }

    /** The vNIC profile, null for none. */
    public @Nullable UUID vnicProfile() {
        return vnicProfile;
    }

    /** Nominal speed, Mbit/s; the base of usage percentages. */
    public int speedMegabitsPerSecond() {
        return speedMegabitsPerSecond;
    }

    /** The same interface under another identity. */
    public VmNic withId(UUID next) {
        return new VmNic(
                next.getMostSignificantBits(),
                next.getLeastSignificantBits(),
                name,
                macBytes,
                otherMac,
                vnicProfile,
                speedMegabitsPerSecond);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof VmNic that
                && idUpper == that.idUpper
                && idLower == that.idLower
                && macBytes == that.macBytes
                && speedMegabitsPerSecond == that.speedMegabitsPerSecond
                && name.equals(that.name)
                && Objects.equals(otherMac, that.otherMac)
                && Objects.equals(vnicProfile, that.vnicProfile);
    }

    @Override
    public int hashCode() {
        return Objects.hash(idUpper, idLower, macBytes, name, otherMac, vnicProfile);
    }

    @Override
    public String toString() {
        return "VmNic[id=%s, name=%s, mac=%s, vnicProfile=%s, speedMegabitsPerSecond=%d]"
                .formatted(id(), name, mac(), vnicProfile, speedMegabitsPerSecond);
    }
}
