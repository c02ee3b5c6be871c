package org.stillwater.ovirt.resource;

import java.lang.reflect.Constructor;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Entity;
import org.stillwater.ovirt.model.Listing;

/**
 * Which elements of an entity refer to others, and the form of an entity with followed references
 * ({@code follow}). Thread-safe.
 */
final class References {

    /** How entities of one class are taken apart and put together again. */
    private record RecordType(
            Constructor<?> made, List<RecordComponent> parts, List<String> names) {}

    /** Finds the entity of a reference; null if it does not exist, or the caller may not see it. */
    @FunctionalInterface
    interface Target {
        @Nullable Object of(Entity reference, Follow next);
    }

    private static final ClassValue<RecordType> RECORD_TYPES =
            new ClassValue<>() {
                @Override
                protected RecordType computeValue(Class<?> type) {
                    return recordType(type);
                }
            };

    private References() {}

    /** Elements of entities of a kind that refer to others, with the kinds of those. */
    static Map<String, Kind> of(Kind kind) {
        return switch (kind) {
            case VM ->
                    table(
                            "cluster", Kind.CLUSTER,
                            "host", Kind.HOST,
                            "template", Kind.TEMPLATE,
                            "original_template", Kind.TEMPLATE,
                            "vm_pool", Kind.VM_POOL,
                            "large_icon", Kind.ICON,
                            "small_icon", Kind.ICON);
            case HOST, TEMPLATE -> table("cluster", Kind.CLUSTER);
            case CLUSTER ->
                    table(
                            "data_center",
                            Kind.DATA_CENTER,
                            "mac_pool",
                            Kind.MAC_POOL,
                            "scheduling_policy",
                            Kind.SCHEDULING_POLICY);
            case DATA_CENTER -> table("mac_pool", Kind.MAC_POOL);
            case DISK -> table("storage_domains", Kind.STORAGE_DOMAIN);
            case EVENT ->
                    table(
                            "cluster", Kind.CLUSTER,
                            "data_center", Kind.DATA_CENTER,
                            "host", Kind.HOST,
                            "storage_domain", Kind.STORAGE_DOMAIN,
                            "template", Kind.TEMPLATE,
                            "user", Kind.USER,
                            "vm", Kind.VM);
            case JOB -> table("owner", Kind.USER);
            case STEP -> table("execution_host", Kind.HOST, "job", Kind.JOB);
            case STORAGE_DOMAIN ->
                    table("data_center", Kind.DATA_CENTER, "data_centers", Kind.DATA_CENTER);
            case NETWORK -> table("data_center", Kind.DATA_CENTER);
            case VNIC_PROFILE -> table("network", Kind.NETWORK);
            case VM_POOL ->
                    table("cluster", Kind.CLUSTER, "template", Kind.TEMPLATE, "vm", Kind.VM);
            case USER, GROUP -> table("domain", Kind.DOMAIN);
            case PERMIT -> table("role", Kind.ROLE);
            case PERMISSION ->
                    table(
                            "cluster",
                            Kind.CLUSTER,
                            "group",
                            Kind.GROUP,
                            "role",
                            Kind.ROLE,
                            "user",
                            Kind.USER,
                            "vm",
                            Kind.VM);
            case TAG -> table("parent", Kind.TAG, "host", Kind.HOST, "vm", Kind.VM);
            case OPERATING_SYSTEM -> table("large_icon", Kind.ICON, "small_icon", Kind.ICON);
            case AFFINITY_GROUP -> table("cluster", Kind.CLUSTER, "vms", Kind.VM);
            case NIC -> table("vm", Kind.VM, "vnic_profile", Kind.VNIC_PROFILE);
            case DISK_ATTACHMENT -> table("disk", Kind.DISK, "vm", Kind.VM);
            case APPLICATION,
                    CDROM,
                    GRAPHICS_CONSOLE,
                    REPORTED_DEVICE,
                    SESSION,
                    SNAPSHOT,
                    VM_NUMA_NODE,
                    WATCHDOG ->
                    table("vm", Kind.VM);
            case HOST_NIC -> table("host", Kind.HOST, "network", Kind.NETWORK);
            case HOST_NUMA_NODE, FENCE_AGENT -> table("host", Kind.HOST);
            default -> Map.of();
        };
    }

    /** Elements and kinds, in turn. */
    private static Map<String, Kind> table(Object... pairs) {
        Map<String, Kind> table = new LinkedHashMap<>();
        for (int i = 0; i < pairs.length; i += 2) {
            table.put((String) pairs[i], (Kind) pairs[i + 1]);
        }
        return table;
    }

    /**
     * The entity with followed references replaced by their entities.
     *
     * @param told the entity
     * @param names its references, in lower case and without underscores
     */
    static Object followed(Object told, Map<String, Kind> names, Follow follow, Target target) {
        if (follow.isEmpty() || !(told instanceof Record)) {
            return told;
        }
        RecordType type = RECORD_TYPES.get(told.getClass());
        @Nullable Object @Nullable [] values = null;
        for (Map.Entry<String, Follow> step : follow.steps().entrySet()) {
            int at = names.containsKey(step.getKey()) ? type.names().indexOf(step.getKey()) : -1;
            if (at >= 0) {
                if (values == null) {
                    values = values(type, told);
                }
                values[at] = replaced(values[at], step.getValue(), target);
            }
        }
        return values == null ? told : made(type, values);
    }

    private static @Nullable Object replaced(@Nullable Object value, Follow next, Target target) {
        return switch (value) {
            case Listing<?> listing ->
                    Listing.of(
                            listing.item(),
                            Lazy.of(listing.items(), item -> present(item, next, target)));
            case null -> null;
            default -> present(value, next, target);
        };
    }

    /** A reference without an entity stays a reference. */
    private static Object present(Object value, Follow next, Target target) {
        Object found =
                value instanceof Entity entity && entity.href() != null
                        ? target.of(entity, next)
                        : null;
        return found == null ? value : found;
    }

    private static RecordType recordType(Class<?> type) {
        RecordComponent[] parts = type.getRecordComponents();
        try {
            return new RecordType(
                    type.getDeclaredConstructor(
                            Arrays.stream(parts)
                                    .map(RecordComponent::getType)
                                    .toArray(Class<?>[]::new)),
                    List.of(parts),
                    Arrays.stream(parts).map(part -> Follow.plain(part.getName())).toList());
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(type + " is a record without its constructor", e);
        }
    }

    private static @Nullable Object[] values(RecordType type, Object told) {
        @Nullable Object[] values = new Object[type.parts().size()];
        try {
            for (int i = 0; i < values.length; i++) {
                values[i] = type.parts().get(i).getAccessor().invoke(told);
            }
            return values;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot read " + told.getClass(), e);
        }
    }

    private static Object made(RecordType type, @Nullable Object[] values) {
        try {
            return type.made().newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("cannot make " + type.made().getName(), e);
        }
    }
}
