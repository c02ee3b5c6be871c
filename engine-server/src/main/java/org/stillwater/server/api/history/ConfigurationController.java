package org.stillwater.server.api.history;

import java.util.List;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ConfigurationStore;
import org.stillwater.core.store.ConfigurationStore.HostConfiguration;
import org.stillwater.core.store.ConfigurationStore.VmConfiguration;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.settings.RestSettings;

/**
 * Definitions of VMs and hosts over time, newest first: {@code /api/v1/vms/{id}/configurations} and
 * the same of hosts. Read from the database.
 */
@RestController
@RequestMapping("/api/v1")
class ConfigurationController {

    private final ConfigurationStore configurations;
    private final FleetReader fleet;
    private final RestSettings settings;

    ConfigurationController(
            ConfigurationStore configurations, FleetReader fleet, RestSettings settings) {
        this.configurations = configurations;
        this.fleet = fleet;
        this.settings = settings;
    }

    /** Some versions, newest first; {@code next} is the cursor of older ones, null at the end. */
    record Versions<T>(List<T> items, @Nullable Integer next) {}

    /** One version of a VM. */
    record VmVersion(
            int version,
            String validFrom,
            @Nullable String validUntil,
            String name,
            String origin,
            String clusterId,
            boolean highlyAvailable,
            int memoryMebibytes,
            int guaranteedMemoryMebibytes,
            int cpus,
            int sockets,
            int coresPerSocket,
            int threadsPerCore,
            int priority,
            @Nullable String leaseStorageDomainId,
            @Nullable String cpuPinning) {}

    /** One version of a host. */
    record HostVersion(
            int version,
            String validFrom,
            @Nullable String validUntil,
            String name,
            String address,
            int port,
            String clusterId) {}

    /** One page of versions, from the database. */
    private interface Page<T> {
        List<T> read(int before, int limit) throws StoreUnavailable;
    }

    @GetMapping("/vms/{id}/configurations")
    Versions<VmVersion> ofVm(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable Integer cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        VmId vm = Ids.vm(id);
        Versions<VmConfiguration> found =
                page(
                        cursor,
                        limit,
                        (before, most) -> configurations.ofVm(vm, before, most),
                        VmConfiguration::version);
        if (found.items().isEmpty() && cursor == null && fleet.vm(vm) == null) {
            throw ApiException.notFound("There is no VM " + vm + ", and there was none.");
        }
        return new Versions<>(
                found.items().stream().map(ConfigurationController::version).toList(),
                found.next());
    }

    @GetMapping("/hosts/{id}/configurations")
    Versions<HostVersion> ofHost(
            @PathVariable String id,
            @RequestParam(required = false) @Nullable Integer cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        HostId host = Ids.host(id);
        Versions<HostConfiguration> found =
                page(
                        cursor,
                        limit,
                        (before, most) -> configurations.ofHost(host, before, most),
                        HostConfiguration::version);
        if (found.items().isEmpty() && cursor == null) {
            throw ApiException.notFound("There is no host " + id + ", and there was none.");
        }
        return new Versions<>(
                found.items().stream().map(ConfigurationController::version).toList(),
                found.next());
    }

    private <T> Versions<T> page(
            @Nullable Integer cursor,
            @Nullable Integer limit,
            Page<T> page,
            ToIntFunction<T> version) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        if (cursor != null && cursor < 1) {
            throw ApiException.badRequest("cursor must be next of the page before");
        }
        try {
            // One row more than requested shows whether there is a next page.
            List<T> found = page.read(cursor == null ? Integer.MAX_VALUE : cursor, wanted + 1);
            boolean more = found.size() > wanted;
            List<T> items = more ? found.subList(0, wanted) : found;
            return new Versions<>(
                    items, more ? (Integer) version.applyAsInt(items.getLast()) : null);
        } catch (StoreUnavailable e) {
            throw ApiException.unavailable(
                    "Versions are in the database, which does not answer now: " + e.getMessage());
        }
    }

    private static VmVersion version(VmConfiguration vm) {
        return new VmVersion(
                vm.version(),
                vm.validFrom().toString(),
                text(vm.validUntil()),
                vm.name(),
                Json.word(vm.origin()),
                vm.cluster().toString(),
                vm.highlyAvailable(),
                vm.memoryMebibytes(),
                vm.guaranteedMemoryMebibytes(),
                vm.sockets() * vm.coresPerSocket() * vm.threadsPerCore(),
                vm.sockets(),
                vm.coresPerSocket(),
                vm.threadsPerCore(),
                vm.priority(),
                text(vm.leaseStorageDomain()),
                vm.cpuPinning());
    }

    private static HostVersion version(HostConfiguration host) {
        return new HostVersion(
                host.version(),
                host.validFrom().toString(),
                text(host.validUntil()),
                host.name(),
                host.address(),
                host.port(),
                host.cluster().toString());
    }

    private static @Nullable String text(@Nullable Object value) {
        return value == null ? null : value.toString();
    }
}
