package org.stillwater.core.definition;

import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.text.Labels;

/**
 * A network interface in the definition of a VM.
 *
 * @param id identity, that of its {@link VmNic}
 * @param name name in the definition, for example {@code nic1}; 1–255 characters
 * @param mac lower-case MAC address with colons, of one interface
 * @param network the network, named as its bridge on the hosts, at most 255 characters; null for
 *     none
 * @param model how the guest sees it
 * @param linked whether its cable is plugged in
 * @param mtuBytes largest packet, 68–65 520; null for that of the network
 * @param filtered whether packets with the MAC address of another are dropped
 * @param unplugged whether the VM runs without it; false for one that the guest sees, and in rows
 *     stored before there was any such interface
 */
public record VmInterface(
        UUID id,
        String name,
        String mac,
        @Nullable String network,
        Model model,
        boolean linked,
        @Nullable Integer mtuBytes,
        boolean filtered,
        boolean unplugged) {

    private static final Pattern MAC = Pattern.compile("[0-9a-f][02468ace](:[0-9a-f]{2}){5}");
    private static final int LEAST_MTU = 68;
    private static final int MOST_MTU = 65_520;

    public VmInterface {
        Labels.checkName("network interface", name);
        if (!MAC.matcher(mac).matches() || mac.equals("00:00:00:00:00:00")) {
            throw new IllegalArgumentException(
                    "the MAC address of interface "
                            + name
                            + " is six pairs of lower-case hexadecimal digits with colons, of one"
                            + " interface and not of a group");
        }
        if (network != null) {
            Labels.checkName("network", network);
        }
        if (mtuBytes != null && (mtuBytes < LEAST_MTU || mtuBytes > MOST_MTU)) {
            throw new IllegalArgumentException(
                    "the MTU of interface " + name + " is 68 to 65520 bytes, not " + mtuBytes);
        }
    }

    /** A linked virtio interface with the MTU of its network. */
    public VmInterface(UUID id, String name, String mac, @Nullable String network) {
        this(id, name, mac, network, Model.VIRTIO, true, null, true);
    }

    /** An interface that is plugged. */
    public VmInterface(
            UUID id,
            String name,
            String mac,
            @Nullable String network,
            Model model,
            boolean linked,
            @Nullable Integer mtuBytes,
            boolean filtered) {
        this(id, name, mac, network, model, linked, mtuBytes, filtered, false);
    }

    /** The same, plugged or not. */
    public VmInterface plugged(boolean whether) {
        return new VmInterface(id, name, mac, network, model, linked, mtuBytes, filtered, !whether);
    }

    /** The part of it that monitoring needs. */
    public VmNic nic(@Nullable UUID vnicProfile) {
        return new VmNic(id, name, mac, vnicProfile, model.speedMegabitsPerSecond());
    }

    /** How a guest sees an interface; with nominal speeds (monitoring specification §4.9). */
    public enum Model {
        VIRTIO("virtio", 10_000),
        E1000("e1000", 1_000),
        RTL8139("rtl8139", 100);

        private final String label;
        private final int speedMegabitsPerSecond;

        Model(String label, int speedMegabitsPerSecond) {
            this.label = label;
            this.speedMegabitsPerSecond = speedMegabitsPerSecond;
        }

        /** As libvirt names it. */
        public String label() {
            return label;
        }

        /** Nominal speed. */
        public int speedMegabitsPerSecond() {
            return speedMegabitsPerSecond;
        }
    }
}
