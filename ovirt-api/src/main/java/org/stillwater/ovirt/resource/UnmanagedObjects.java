package org.stillwater.ovirt.resource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.DataCentre;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.fleet.Fleet;

/**
 * Networks, vNIC profiles and storage domains, which the engine does not manage: as hosts report
 * them and VMs use them, and without a report, as they are set. Objects that a VM or disk refers to
 * are always among them. Immutable.
 */
final class UnmanagedObjects {

    /** A network of a data centre. */
    record Net(
            String id,
            String name,
            DataCentreId dataCentre,
            int mtu,
            @Nullable Integer vlan,
            boolean stp,
            boolean forVms,
            boolean required) {}

    /** How VMs use a network. */
    record Profile(String id, String name, Net network) {}

    /** A storage domain; {@code valid} as the hosts of its data centre see it. */
    record Storage(
            String id, String name, DataCentreId dataCentre, boolean master, boolean valid) {}

    private static final int USUAL_MTU = 1_500;

    private final ReferenceData data;
    private final Map<ClusterId, DataCentreId> dataCentres = new HashMap<>();
    private final Map<String, Net> networks = new LinkedHashMap<>();
    private final Map<String, Profile> profiles = new LinkedHashMap<>();
    private final Map<String, Storage> storages = new LinkedHashMap<>();
    private final Map<DataCentreId, Map<String, Net>> networksByName = new HashMap<>();
    private final Map<DataCentreId, Storage> masters = new HashMap<>();

    UnmanagedObjects(Fleet fleet, ReferenceData data, List<HostView> hosts) {
        this.data = data;
        Set<ClusterId> pools = new HashSet<>();
        for (Cluster cluster : fleet.clusters()) {
            dataCentres.put(cluster.id(), cluster.dataCentre());
            if (cluster.hypervisor() == Hypervisor.XAPI) {
                pools.add(cluster.id());
            }
        }
        Map<DataCentreId, Map<String, Net>> nets = new HashMap<>();
        Map<DataCentreId, Map<String, Boolean>> domains = new HashMap<>();
        for (DataCentre dataCentre : fleet.dataCentres()) {
            nets.put(dataCentre.id(), new TreeMap<>());
            domains.put(dataCentre.id(), new TreeMap<>());
        }
        for (Cluster cluster : fleet.clusters()) {
            for (ClusterNetwork network : cluster.requirements().networks()) {
                named(nets, cluster.dataCentre(), network.name(), network.required());
            }
        }
        for (HostView host : hosts) {
            DataCentreId home = dataCentre(host.state().definition().cluster());
            HostCapabilities capabilities = host.state().capabilities();
            if (capabilities != null) {
                capabilities
                        .network()
                        .networks()
                        .forEach((name, network) -> reported(nets, home, name, network));
            }
            HostStatistics statistics = host.statistics();
            // A VM of VDSM's hosts cannot have disks on a repository of a pool.
            if (statistics != null && !pools.contains(host.state().definition().cluster())) {
                statistics
                        .storageDomains()
                        .forEach((id, domain) ->
                                domains.computeIfAbsent(home, _ -> new TreeMap<>())
                                        .merge(
                                                id,
                                                !Boolean.FALSE.equals(domain.valid()),
                                                Boolean::logicalOr));
            }
        }
        Map<String, String> extraProfiles = new TreeMap<>();
        Map<String, DataCentreId> homesOfProfiles = new HashMap<>();
        for (VmId id : fleet.vms()) {
            VmView vm = fleet.vm(id);
            if (vm != null) {
                use(fleet, vm, nets, domains, extraProfiles, homesOfProfiles);
            }
        }
        for (DataCentre dataCentre : fleet.dataCentres()) {
            finish(
                    dataCentre.id(),
                    nets.getOrDefault(dataCentre.id(), new TreeMap<>()),
                    domains.getOrDefault(dataCentre.id(), new TreeMap<>()));
        }
        extraProfiles.forEach((id, network) -> {
            Net net = network(homesOfProfiles.getOrDefault(id, DataCentreId.DEFAULT), network);
            profiles.putIfAbsent(id, new Profile(id, net.name() + "-" + id.substring(0, 8), net));
        });
    }

    private void use(
            Fleet fleet,
            VmView vm,
            Map<DataCentreId, Map<String, Net>> nets,
            Map<DataCentreId, Map<String, Boolean>> domains,
            Map<String, String> extraProfiles,
            Map<String, DataCentreId> homesOfProfiles) {
        DataCentreId home = dataCentre(vm.definition().cluster());
        VmSpecification specification = fleet.specification(vm.id());
        Map<UUID, String> networkOf = new HashMap<>();
        if (specification != null) {
            for (VmInterface each : specification.interfaces()) {
                if (each.network() != null) {
                    named(nets, home, each.network(), false);
                    networkOf.put(each.id(), each.network());
                }
            }
            for (VmDisk disk : specification.disks()) {
                if (disk.place() instanceof VmDisk.Place.Volume volume) {
                    domains.computeIfAbsent(home, _ -> new TreeMap<>())
                            .putIfAbsent(volume.domain().toString(), true);
                }
            }
        }
        for (VmNic nic : vm.definition().nics()) {
            UUID profile = nic.vnicProfile();
            if (profile != null) {
                extraProfiles.putIfAbsent(profile.toString(), networkOf.getOrDefault(nic.id(), ""));
                homesOfProfiles.putIfAbsent(profile.toString(), home);
            }
        }
    }

    private static void named(
            Map<DataCentreId, Map<String, Net>> nets,
            DataCentreId home,
            String name,
            boolean required) {
        nets.computeIfAbsent(home, _ -> new TreeMap<>())
                .putIfAbsent(name, net(home, name, USUAL_MTU, null, false, true, required));
    }

    private static void reported(
            Map<DataCentreId, Map<String, Net>> nets,
            DataCentreId home,
            String name,
            HostNetworks.Network network) {
        Integer mtu = network.ip().mtu();
        Map<String, Net> all = nets.computeIfAbsent(home, _ -> new TreeMap<>());
        Net known = all.get(name);
        all.put(
                name,
                net(
                        home,
                        name,
                        mtu == null ? USUAL_MTU : mtu,
                        network.vlanId(),
                        Boolean.TRUE.equals(network.stp()),
                        !Boolean.FALSE.equals(network.bridged()),
                        known != null && known.required()));
    }

    private static Net net(
            DataCentreId home,
            String name,
            int mtu,
            @Nullable Integer vlan,
            boolean stp,
            boolean forVms,
            boolean required) {
        return new Net(
                Uuids.of("network", home.toString(), name),
                name,
                home,
                mtu,
                vlan,
                stp,
                forVms,
                required);
    }

    private void finish(DataCentreId home, Map<String, Net> nets, Map<String, Boolean> domains) {
        if (nets.isEmpty()) {
            nets.put(
                    data.networkName(),
                    net(home, data.networkName(), USUAL_MTU, null, false, true, false));
        }
        networksByName.put(home, Map.copyOf(nets));
        for (Net net : nets.values()) {
            networks.put(net.id(), net);
            String profile = profileOf(net);
            profiles.put(profile, new Profile(profile, net.name(), net));
        }
        if (domains.isEmpty()) {
            domains.put(Uuids.of("storage_domain", home.toString()), true);
        }
        boolean only = domains.size() == 1;
        for (String id : new TreeSet<>(domains.keySet())) {
            Storage storage =
                    new Storage(
                            id,
                            only
                                    ? data.storageName()
                                    : data.storageName()
                                            + "-"
                                            + id.substring(0, Math.min(8, id.length())),
                            home,
                            !masters.containsKey(home),
                            Boolean.TRUE.equals(domains.get(id)));
            if (storages.putIfAbsent(id, storage) == null) {
                masters.putIfAbsent(home, storage);
            }
        }
    }

    private static String profileOf(Net net) {
        return Uuids.of("vnic_profile", net.dataCentre().toString(), net.name());
    }

    /** The data centre of a cluster. */
    DataCentreId dataCentre(ClusterId cluster) {
        return dataCentres.getOrDefault(cluster, DataCentreId.DEFAULT);
    }

    /** Every network, by data centre and name. */
    List<Net> networks() {
        return new ArrayList<>(networks.values());
    }

    /** The network of this name, or any of the data centre. */
    Net network(DataCentreId home, String name) {
        Map<String, Net> named = networksByName.getOrDefault(home, Map.of());
        Net known = named.get(name);
        if (known == null) {
            known = named.get(data.networkName());
        }
        if (known == null) {
            known = named.isEmpty() ? null : new TreeMap<>(named).firstEntry().getValue();
        }
        return known != null
                ? known
                : net(home, data.networkName(), USUAL_MTU, null, false, true, false);
    }

    /** The network of this name, or null. */
    @Nullable Net exactNetwork(DataCentreId home, @Nullable String name) {
        return name == null ? null : networksByName.getOrDefault(home, Map.of()).get(name);
    }

    /** Every vNIC profile. */
    List<Profile> profiles() {
        return new ArrayList<>(profiles.values());
    }

    /** Identity of the profile of an interface: its own, else that of its network. */
    String profile(ClusterId cluster, VmNic nic, @Nullable String network) {
        UUID own = nic.vnicProfile();
        return own != null
                ? own.toString()
                : profileOf(network(dataCentre(cluster), network == null ? "" : network));
    }

    /** Every storage domain. */
    List<Storage> storages() {
        return new ArrayList<>(storages.values());
    }

    /** The storage domain of a disk: the one that it names, else its data centre's master. */
    String storage(ClusterId cluster, @Nullable UUID named) {
        if (named != null) {
            return named.toString();
        }
        DataCentreId home = dataCentre(cluster);
        Storage master = masters.get(home);
        return master != null ? master.id() : Uuids.of("storage_domain", home.toString());
    }

    ReferenceData data() {
        return data;
    }
}
