package org.stillwater.server.api.web;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.vm.VmReading;

/** Identities in paths and parameters. */
public final class Ids {

    private static final int MOST_TOLD = 5;

    private Ids() {}

    public static VmId vm(String text) {
        try {
            return VmId.parse(text);
        } catch (IllegalArgumentException _) {
            throw ApiException.badRequest("\"%s\" is no UUID".formatted(shortened(text)));
        }
    }

    /** Whether a text has the form of an identity. */
    public static boolean isId(String text) {
        try {
            return VmId.parse(text) != null;
        } catch (IllegalArgumentException _) {
            return false;
        }
    }

    public static HostId host(String text) {
        return new HostId(uuid(text));
    }

    public static UUID uuid(String text) {
        return vm(text).toUuid();
    }

    /**
     * The identity that a query parameter holds.
     *
     * @throws ApiException 400 with the parameter's name for another text
     */
    public static UUID uuid(String parameter, String text) {
        if (!isId(text)) {
            throw ApiException.badRequest(
                    "%s \"%s\" is no UUID".formatted(parameter, shortened(text)));
        }
        return uuid(text);
    }

    /** By id, or by the name of an existing host. */
    public static HostId host(FleetReader fleet, String text) {
        HostView named = fleet.hostNamed(text);
        if (named != null) {
            return named.state().definition().id();
        }
        if (!isId(text)) {
            throw ApiException.notFound("There is no host " + shortened(text) + ".");
        }
        return host(text);
    }

    /**
     * VMs by id, or by the name of a VM that the caller may see, in the order of the texts. An id
     * need not be that of a present VM: records of a removed one stay. Any number of names takes
     * one pass over all VMs.
     *
     * @throws ApiException 404 for a name that no VM has, in the same words as for one that the
     *     caller may not see; 409 for a name that several VMs have, as found VMs may
     */
    public static List<VmId> vms(FleetReader fleet, Caller caller, List<String> texts) {
        Map<String, List<VmId>> named = new HashMap<>();
        for (String text : texts) {
            if (!isId(text)) {
                named.put(text, new ArrayList<>(1));
            }
        }
        if (!named.isEmpty()) {
            for (VmReading vm : fleet.readings()) {
                List<VmId> found = named.get(vm.definition().name());
                if (found != null && caller.has(Role.READER, vm.id(), vm.definition().cluster())) {
                    found.add(vm.id());
                }
            }
        }
        return texts.stream().map(text -> isId(text) ? vm(text) : one(text, named)).toList();
    }

    private static VmId one(String name, Map<String, List<VmId>> named) {
        return only("VM", name, named.getOrDefault(name, List.of()), VmId::toString);
    }

    /**
     * The object of this id, or of this name.
     *
     * @param kind of the objects, a noun such as {@code pool}
     * @param seen those that the caller may see
     * @throws ApiException 404 if there is none; 409 for a name that several have
     */
    public static <T> T one(
            String kind,
            String text,
            Collection<T> seen,
            Function<T, Object> id,
            Function<T, String> name) {
        if (isId(text)) {
            for (T each : seen) {
                if (id.apply(each).toString().equalsIgnoreCase(text)) {
                    return each;
                }
            }
        }
        List<T> named = seen.stream().filter(each -> name.apply(each).equals(text)).toList();
        return only(kind, text, named, each -> id.apply(each).toString());
    }

    private static <T> T only(String kind, String name, List<T> found, Function<T, String> id) {
        return switch (found.size()) {
            case 0 ->
                    throw ApiException.notFound(
                            "There is no %s %s.".formatted(kind, shortened(name)));
            case 1 -> found.getFirst();
            default ->
                    throw ApiException.conflict(
                            "%d %ss have the name %s; name one by its id: %s."
                                    .formatted(
                                            found.size(),
                                            kind,
                                            shortened(name),
                                            found.stream()
                                                    .limit(MOST_TOLD)
                                                    .map(id)
                                                    .sorted()
                                                    .collect(Collectors.joining(", "))));
        };
    }

    /** Text of a caller, shortened to be sent back. */
    public static String shortened(String text) {
        return text.length() <= 64 ? text : text.substring(0, 64) + "…";
    }
}
