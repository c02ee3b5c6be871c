package org.stillwater.server.takeover;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;

/** What the database refuses of an import. Used by one thread. */
final class Refusals {

    private final List<Loss> refused = new ArrayList<>();

    /** Names of VMs that the database refused: no other object can refer to them. */
    private final Map<VmId, String> missing = new HashMap<>();

    /** One object for the database. */
    @FunctionalInterface
    interface Saving {
        Saved save() throws StoreUnavailable;
    }

    /** All refusals, in the order in which they came. */
    List<Loss> all() {
        return List.copyOf(refused);
    }

    void add(Loss loss) {
        refused.add(loss);
    }

    /** The database has refused this VM. */
    void missing(VmId vm, String name) {
        missing.put(vm, name);
    }

    boolean isMissing(VmId vm) {
        return missing.containsKey(vm);
    }

    /** The name of a VM that the database has refused; null for any other VM. */
    @Nullable String nameOfMissing(VmId vm) {
        return missing.get(vm);
    }

    /** VMs that the database has; the others are losses of this object, too. */
    Set<VmId> present(String kind, String name, Set<VmId> members) {
        Set<VmId> present = new TreeSet<>();
        for (VmId each : members) {
            String lost = missing.get(each);
            if (lost == null) {
                present.add(each);
            } else {
                refused.add(new Loss(kind, name, "its VM " + lost + ", which is not kept"));
            }
        }
        return present;
    }

    /** Saves an object; false if the database refuses it, which is noted. */
    boolean save(String kind, String name, Saving saving) throws StoreUnavailable {
        try {
            switch (saving.save()) {
                case SAVED -> {
                    return true;
                }
                case TAKEN ->
                        refused.add(
                                new Loss(
                                        kind,
                                        name,
                                        "another object here has its name or identity, and stays as"
                                                + " it is"));
                case UNKNOWN -> refused.add(new Loss(kind, name, "its owner does not exist"));
            }
        } catch (IllegalArgumentException e) { // a name or address that is taken, too
            refused.add(new Loss(kind, name, String.valueOf(e.getMessage())));
        }
        return false;
    }
}
