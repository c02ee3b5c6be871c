package org.stillwater.xapi.host;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.report.ReportedText;
import org.stillwater.core.text.SafeText;
import org.stillwater.xapi.client.XapiRecord;

/** Maps a pool's records to a host (XAPI specification §1.9). Pure. */
final class HostMapping {

    private static final long MEBIBYTE = 1024 * 1024;
    private static final int LONGEST_NAME = 255;

    private HostMapping() {}

    /** The host; null if its identity is no UUID. */
    static @Nullable PoolHost of(String ref, XapiRecord host, PoolObjects objects) {
        HostId id;
        try {
            id = HostId.parse(host.text("uuid"));
        } catch (IllegalArgumentException _) {
            return null;
        }
        XapiRecord metrics = objects.find(PoolObjects.HOST_METRICS, host.reference("metrics"));
        long memory = metrics == null ? 0 : metrics.number("memory_total");
        boolean coordinator =
                objects.of(PoolObjects.POOL).values().stream()
                        .anyMatch(pool -> ref.equals(pool.reference("master")));
        String name = SafeText.of(host.text("name_label"), LONGEST_NAME);
        return new PoolHost(
                id,
                ref,
                name.isBlank() ? id.toString() : name,
                host.text("address"),
                coordinator,
                host.flag("enabled"),
                metrics == null || metrics.flag("live"),
                memory,
                seconds(host.map("other_config").get("boot_time")),
                capabilities(ref, host, memory, objects).capabilities(),
                hardware(host).hardware(),
                PoolObjects.tags(host));
    }

    /**
     * Whether a change of a host's metrics is visible; the frequent changes of its free memory are
     * not.
     */
    static boolean isNews(@Nullable XapiRecord before, @Nullable XapiRecord after) {
        return before == null
                || after == null
                || before.number("memory_total") != after.number("memory_total")
                || before.flag("live") != after.flag("live");
    }

    private static HostValues capabilities(
            String ref, XapiRecord host, long memory, PoolObjects objects) {
        Map<String, String> cpu = host.map("cpu_info");
        Map<String, String> software = host.map("software_version");
        Integer threads = whole(cpu.get("cpu_count"));
        Integer perCore = whole(cpu.get("threads_per_core"));
        HostValues values = new HostValues();
        values.put(HostField.CPU_MODEL, text(cpu.get("modelname")));
        values.put(HostField.CPU_SOCKETS, whole(cpu.get("socket_count")));
        values.put(HostField.CPU_THREADS, threads);
        values.put(
                HostField.CPU_CORES,
                threads == null || perCore == null || perCore < 1
                        ? threads
                        : (Integer) (threads / perCore));
        values.put(HostField.CPU_SPEED, fraction(cpu.get("speed")));
        values.put(HostField.MEMORY, memory == 0 ? null : (Long) (memory / MEBIBYTE));
        values.put(HostField.VERSION_NAME, text(software.get("product_brand")));
        values.put(HostField.SOFTWARE_VERSION, text(software.get("product_version")));
        values.put(HostField.SOFTWARE_REVISION, text(revision(software)));
        values.put(HostField.OS_NAME, text(software.get("product_brand")));
        values.put(HostField.OS_VERSION, text(software.get("product_version")));
        values.put(HostField.PACKAGE_KERNEL, text(software.get("linux")));
        values.put(HostField.HARDWARE_UUID, text(host.map("bios_strings").get("system-uuid")));
        values.put(HostField.NICS, nics(ref, objects));
        values.put(HostField.ENGINE_INTERFACE, management(ref, objects));
        return values;
    }

    /** The version of XAPI itself: an update often changes nothing else. */
    private static @Nullable String revision(Map<String, String> software) {
        String build = software.get("xapi_build");
        String version = build == null ? software.get("xapi") : build;
        return version == null ? software.get("build_number") : version;
    }

    private static HostValues hardware(XapiRecord host) {
        Map<String, String> bios = host.map("bios_strings");
        HostValues values = new HostValues();
        values.put(HostField.MANUFACTURER, text(bios.get("system-manufacturer")));
        values.put(HostField.PRODUCT_NAME, text(bios.get("system-product-name")));
        values.put(HostField.HARDWARE_VERSION, text(bios.get("system-version")));
        values.put(HostField.SERIAL_NUMBER, text(bios.get("system-serial-number")));
        return values;
    }

    private static List<XapiRecord> pifs(String hostRef, PoolObjects objects) {
        return objects.of(PoolObjects.PIF).values().stream()
                .filter(pif -> hostRef.equals(pif.reference("host")) && pif.number("VLAN") < 0)
                .limit(ReportedText.HOST_LIST.mostEntries())
                .toList();
    }

    private static Map<String, HostNetworks.Nic> nics(String hostRef, PoolObjects objects) {
        Map<String, HostNetworks.Nic> nics = new HashMap<>();
        for (XapiRecord pif : pifs(hostRef, objects)) {
            XapiRecord metrics = objects.find(PoolObjects.PIF_METRICS, pif.reference("metrics"));
            String device = text(pif.text("device"));
            if (device != null) {
                nics.put(
                        device,
                        new HostNetworks.Nic(
                                ip(pif),
                                VmMapping.mac(pif.text("MAC")),
                                null,
                                metrics == null ? null : (Integer) whole(metrics, "speed"),
                                null,
                                null));
            }
        }
        return nics;
    }

    private static HostNetworks.Ip ip(XapiRecord pif) {
        return new HostNetworks.Ip(
                text(pif.text("IP")),
                text(pif.text("netmask")),
                List.of(),
                List.of(),
                null,
                text(pif.text("gateway")),
                null,
                whole(pif, "MTU"),
                null,
                pif.text("ip_configuration_mode").equals("DHCP"),
                null);
    }

    private static @Nullable String management(String hostRef, PoolObjects objects) {
        for (XapiRecord pif : pifs(hostRef, objects)) {
            if (pif.flag("management")) {
                return text(pif.text("device"));
            }
        }
        return null;
    }

    private static @Nullable String text(@Nullable String value) {
        return value == null || value.isBlank()
                ? null
                : SafeText.of(value, ReportedText.HOST_TEXT.mostCharacters());
    }

    private static @Nullable Double fraction(@Nullable String text) {
        try {
            return text == null ? null : Double.valueOf(text.strip());
        } catch (NumberFormatException _) {
            return null;
        }
    }

    /** XAPI's ints have 64 bits. */
    private static int whole(XapiRecord record, String field) {
        return Math.clamp(record.number(field), 0, Integer.MAX_VALUE);
    }

    private static @Nullable Integer whole(@Nullable String text) {
        Double value = fraction(text);
        return value == null || !(Math.abs(value) < Integer.MAX_VALUE)
                ? null
                : (Integer) value.intValue();
    }

    /** Seconds since 1970; XAPI writes them with a point at the end. */
    private static @Nullable Long seconds(@Nullable String text) {
        Double value = fraction(text);
        return value == null || !Double.isFinite(value) ? null : (Long) value.longValue();
    }
}
