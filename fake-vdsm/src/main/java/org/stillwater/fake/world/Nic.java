package org.stillwater.fake.world;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A network interface of a VM.
 *
 * @param serial its number in the world
 * @param mac the 48 bits of its MAC
 * @param address the IPv4 address the guest uses, empty for none
 * @param pluggedAt virtual milliseconds; {@link Long#MIN_VALUE} if it was there at the start
 * @param bytesPerSample mean bytes received in 15 s; sent is derived
 * @param model model that the guest sees, {@code virtio}
 * @param xml the element that defines it; {@code null} for one without a definition
 */
record Nic(
        int serial,
        long mac,
        UUID deviceId,
        String network,
        String address,
        long pluggedAt,
        int bytesPerSample,
        int dropped,
        String model,
        @Nullable XmlElement xml) {

    private static final long OUI = 0x566f8eL << 24;

    /** The MAC of a NIC without a chosen one. */
    static long macOf(int serial) {
        return OUI | (serial & 0xffffffL);
    }

    Nic withAddress(String newAddress) {
        return new Nic(
                serial,
                mac,
                deviceId,
                network,
                newAddress,
                pluggedAt,
                bytesPerSample,
                dropped,
                model,
                xml);
    }

    /** Its speed in Mbit/s, as VDSM takes it from the model. */
    int megabits() {
        return model.equals("rtl8139") ? 100 : 1000;
    }

    String macText() {
        StringBuilder text = new StringBuilder(17);
        for (int shift = 40; shift >= 0; shift -= 8) {
            text.append(Character.forDigit((int) ((mac >> (shift + 4)) & 15), 16))
                    .append(Character.forDigit((int) ((mac >> shift) & 15), 16));
            if (shift > 0) {
                text.append(':');
            }
        }
        return text.toString();
    }

    /** The address the guest derives from the MAC (RFC 4291, appendix A). */
    String linkLocal() {
        long flipped = mac ^ 0x020000000000L;
        return "fe80::%x:%xff:fe%02x:%x"
                .formatted(
                        flipped >> 32 & 0xffff,
                        flipped >> 24 & 255,
                        flipped >> 16 & 255,
                        flipped & 0xffff);
    }
}
