package org.stillwater.server.takeover;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.store.DefinitionStore.Definition;

/**
 * Names and MAC addresses of VMs, which one VM of a data centre has here: the first one keeps them.
 * Used by one thread.
 */
final class ClaimPlanner {

    private final Map<ClusterId, DataCentreId> dataCentres = new HashMap<>();

    /** Name of the VM for each claim. */
    private final Map<Claim, String> owners = new HashMap<>();

    private final Losses losses;

    private record Claim(DataCentreId dataCentre, boolean mac, String value) {}

    ClaimPlanner(List<Cluster> clusters, Losses losses) {
        clusters.forEach(each -> dataCentres.put(each.id(), each.dataCentre()));
        this.losses = losses;
    }

    /** Adds the claims of a VM; false if another VM has one of them, which is noted. */
    boolean add(Definition vm) {
        String name = vm.definition().name();
        DataCentreId dataCentre =
                dataCentres.getOrDefault(vm.definition().cluster(), DataCentreId.DEFAULT);
        Map<Claim, String> claims = new HashMap<>();
        claims.put(new Claim(dataCentre, false, name), "there is already a VM of this name");
        for (VmNic nic : vm.definition().nics()) {
            String mac = nic.mac().toLowerCase(Locale.ROOT);
            claims.put(
                    new Claim(dataCentre, true, mac),
                    "its MAC address " + mac + " belongs to the VM ");
        }
        for (Map.Entry<Claim, String> each : claims.entrySet()) {
            String owner = owners.get(each.getKey());
            if (owner != null) {
                losses.add(
                        "VM",
                        name,
                        "its definition is not kept; it is found on its host: "
                                + each.getValue()
                                + (each.getKey().mac() ? owner : ""));
                return false;
            }
        }
        claims.keySet().forEach(each -> owners.put(each, name));
        return true;
    }
}
