package org.stillwater.fake.world;

import java.util.Locale;
import org.stillwater.fake.net.JsonBody;
import tools.jackson.databind.JsonNode;

/**
 * The verb that exchanges the CD of a running VM. Every absolute path that ends with {@code .iso}
 * is an image that a simulated host has. Nothing is announced; the next polls have another hash.
 */
final class CdVerbs {

    private static final String IMAGES = ".iso";

    private final HostVerbs verbs;
    private final FakeHost host;

    CdVerbs(HostVerbs verbs, FakeHost host) {
        this.verbs = verbs;
        this.host = host;
    }

    /** VDSM searches the image before it calls libvirt for the drive. */
    JsonBody change(Arguments arguments) {
        JsonNode drive = arguments.required("driveSpec");
        verbs.change(
                arguments,
                (_, domain) -> {
                    String path = member(drive, "path");
                    String target = target(member(drive, "iface"), member(drive, "index"));
                    synchronized (host) {
                        if (!path.isEmpty() && !isImage(path)) {
                            throw VdsmError.NO_SUCH_CD.error();
                        }
                        HotplugVerbs.requireDomain(domain);
                        exchange(domain, target, path);
                    }
                });
        return JsonBody.of("{}");
    }

    private static void exchange(Domain domain, String target, String path) {
        Machine machine = domain.machine;
        for (int i = 0; i < machine.disks.size(); i++) {
            Disk drive = machine.disks.get(i);
            // libvirt changes nothing of a domain that leaves.
            if (drive.isCd() && drive.device().equals(target) && !domain.isLeaving()) {
                machine.replaceDisk(i, drive.holding(path));
                domain.devicesChanged();
                return;
            }
        }
        throw VdsmError.CHANGE_DISK_FAILED.error();
    }

    private static boolean isImage(String path) {
        return path.startsWith("/") && path.toLowerCase(Locale.ROOT).endsWith(IMAGES);
    }

    private static String member(JsonNode drive, String name) {
        JsonNode value = drive.get(name);
        if (value == null) {
            throw VdsmError.GENERAL.of("'%s'".formatted(name));
        }
        return value.isNull() ? "" : value.asString();
    }

    /** Name of the drive in the domain, as VDSM makes it of bus and number. */
    private static String target(String bus, String index) {
        String prefix =
                switch (bus) {
                    case "ide" -> "hd";
                    case "scsi", "sata" -> "sd";
                    case "virtio" -> "vd";
                    case "fdc" -> "fd";
                    default -> throw VdsmError.GENERAL.of("Unknown interface: " + bus);
                };
        int number;
        try {
            number = Integer.parseInt(index);
        } catch (NumberFormatException e) {
            throw VdsmError.GENERAL.of(
                    "invalid literal for int() with base 10: '%s'".formatted(index));
        }
        return number < 0 || number > 'z' - 'a' ? prefix : prefix + (char) ('a' + number);
    }
}
