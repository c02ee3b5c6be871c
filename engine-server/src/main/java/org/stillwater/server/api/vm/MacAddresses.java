package org.stillwater.server.api.vm;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;

/**
 * MAC addresses for interfaces that come without one: chosen at random from the locally
 * administered range 56:6f:…, of which 4 294 967 296 are there, until one is free. Thread-safe.
 */
@Component
final class MacAddresses {

    private static final int REMEMBERED = 10_000;

    private final FleetReader fleet;
    private final RandomGenerator random;
    private final Map<String, Boolean> given =
            new LinkedHashMap<>() {
                @Override
                protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                    return size() > REMEMBERED;
                }
            }; // guarded by this

    MacAddresses(FleetReader fleet) {
        this.fleet = fleet;
        this.random = RandomGenerator.getDefault();
    }

    /** One that no VM has, and that was not given to another VM that is being added. */
    synchronized String next() {
        while (true) {
            int low = random.nextInt();
            String mac =
                    String.format(
                            Locale.ROOT,
                            "56:6f:%02x:%02x:%02x:%02x",
                            low >>> 24,
                            (low >>> 16) & 0xff,
                            (low >>> 8) & 0xff,
                            low & 0xff);
            if (!given.containsKey(mac) && !isKnown(mac)) {
                given.put(mac, Boolean.TRUE);
                return mac;
            }
        }
    }

    /** Generated addresses are unique beyond data centres: VMs may move. */
    private boolean isKnown(String mac) {
        return fleet.vms().anyMatch(vm -> vm.definition().nicWithMac(mac) != null);
    }

    /**
     * The other VM that has this address in the data centre of a cluster; null if none does.
     *
     * @param vm the VM that needs it
     */
    @Nullable VmView owner(VmId vm, String mac, ClusterId cluster) {
        return fleet.vms()
                .filter(other ->
                        !other.id().equals(vm)
                                && other.definition().nicWithMac(mac) != null
                                && fleet.clusters()
                                        .areOfOneDataCentre(other.definition().cluster(), cluster))
                .findFirst()
                .orElse(null);
    }
}
