package org.stillwater.fake.xapi.world;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.model.RecordValue;
import org.stillwater.fake.xapi.model.XClass;
import org.stillwater.fake.xapi.model.XClass.XField;
import org.stillwater.fake.xapi.model.XType;

/**
 * The objects of a pool by class and reference, with the generations of their changes, as XAPI's
 * database has them. Rows are immutable: a reader's row never changes. Not thread-safe; its pool
 * guards it.
 */
public final class Store {

    /**
     * Deletions that a table remembers before it forgets the older half. Source: Db_cache_types.
     */
    static final int MOST_DELETED = 512;

    static final int KEPT_DELETED = 256;

    /**
     * Sets of references that mirror a reference on the other side: class, field, the set there.
     * Source: relations of the datamodel.
     */
    private static final List<String> RELATIONS =
            List.of(
                    "VIF.VM VM.VIFs",
                    "VBD.VM VM.VBDs",
                    "console.VM VM.consoles",
                    "VBD.VDI VDI.VBDs",
                    "VDI.SR SR.VDIs",
                    "PBD.SR SR.PBDs",
                    "PBD.host host.PBDs",
                    "PIF.host host.PIFs",
                    "PIF.network network.PIFs",
                    "VIF.network network.VIFs",
                    "host_cpu.host host.host_CPUs",
                    "VM.resident_on host.resident_VMs",
                    "VM.snapshot_of VM.snapshots",
                    "VM.parent VM.children",
                    "VDI.snapshot_of VDI.snapshots",
                    "Certificate.host host.certificates",
                    "task.subtask_of task.subtasks",
                    "VLAN.tagged_PIF PIF.VLAN_slave_of");

    private record Relation(String field, String otherType, String otherField) {}

    private static final Map<String, List<Relation>> RELATIONS_BY_CLASS = new HashMap<>();

    static {
        for (String each : RELATIONS) {
            String[] names = each.split("[. ]");
            RELATIONS_BY_CLASS
                    .computeIfAbsent(names[0], _ -> new ArrayList<>())
                    .add(new Relation(names[1], names[2], names[3]));
        }
    }

    /**
     * An object as it is.
     *
     * @param created generation of its birth
     * @param modified generation of its last change
     */
    public record Row(String ref, RecordValue fields, long created, long modified) {
        /** The value of a field. */
        public Object get(String field) {
            return fields.get(field);
        }

        /** The value of a text, enum or reference. */
        public String text(String field) {
            return (String) get(field);
        }

        /** The value of an int. */
        public long number(String field) {
            return (Long) get(field);
        }

        /** The value of a bool. */
        public boolean flag(String field) {
            return (Boolean) get(field);
        }

        /** The value of a set of texts or references. */
        @SuppressWarnings("unchecked")
        public List<String> list(String field) {
            return (List<String>) get(field);
        }

        /** The value of a map to texts. */
        @SuppressWarnings("unchecked")
        public Map<String, String> map(String field) {
            return (Map<String, String>) get(field);
        }
    }

    record Deleted(String ref, long created, long at) {}

    /** The rows of a class, the one that changed last at the end. */
    static final class Table {
        final XClass type;
        final LinkedHashMap<String, Row> rows = new LinkedHashMap<>();
        final Map<String, String> byUuid = new HashMap<>();
        final Deque<Deleted> deleted = new ArrayDeque<>();

        Table(XClass type) {
            this.type = type;
        }
    }

    private final Datamodel datamodel;
    private final Seeds seeds;
    private final Map<String, Table> tables = new LinkedHashMap<>();
    private final Map<String, Table> byLowerName = new HashMap<>();
    private long generation = 1000;
    private long messageGeneration;

    Store(Datamodel datamodel, Seeds seeds) {
        this.datamodel = datamodel;
        this.seeds = seeds;
        datamodel
                .classes()
                .values()
                .forEach(type -> {
                    Table table = new Table(type);
                    tables.put(type.name(), table);
                    byLowerName.put(type.eventName(), table);
                });
    }

    Datamodel datamodel() {
        return datamodel;
    }

    Collection<Table> tables() {
        return tables.values();
    }

    /** The table of a class; the name in any case. */
    @Nullable Table table(String name) {
        return byLowerName.get(name.toLowerCase(java.util.Locale.ROOT));
    }

    long generation() {
        return generation;
    }

    long messageGeneration() {
        return messageGeneration;
    }

    private Table known(String type) {
        Table table = tables.get(type);
        if (table == null) {
            throw new IllegalArgumentException("no class " + type);
        }
        return table;
    }

    /** All objects of a class. */
    public Collection<Row> all(String type) {
        return known(type).rows.values();
    }

    /** The object, or {@code null}. */
    public @Nullable Row find(String type, String ref) {
        return known(type).rows.get(ref);
    }

    /** The object. */
    public Row get(String type, String ref) {
        Row row = find(type, ref);
        if (row == null) {
            throw XapiError.handle(type, ref);
        }
        return row;
    }

    /** The object of that permanent identity, or {@code null}. */
    public @Nullable Row byUuid(String type, String uuid) {
        String ref = known(type).byUuid.get(uuid);
        return ref == null ? null : find(type, ref);
    }

    /**
     * Creates an object; members that are not given get the datamodel's defaults. Unknown fields
     * are left out.
     */
    String create(String type, Map<String, ?> given) {
        return create(type, seeds.ref(), given);
    }

    String create(String type, String ref, Map<String, ?> given) {
        Table table = known(type);
        Object[] values = new Object[table.type.fields().size()];
        for (int i = 0; i < values.length; i++) {
            XField field = table.type.fields().get(i);
            Object value = given.get(field.name());
            if (value == null) {
                value = field.initial();
                if (field.type() instanceof XType.EnumOf words && value.equals("")) {
                    value = datamodel.firstWord(words.name());
                } else if (field.name().equals("uuid")) {
                    value = seeds.uuid();
                }
            }
            values[i] = value;
        }
        long at = next(type);
        Row row = new Row(ref, new RecordValue(table.type, values), at, at);
        table.rows.put(ref, row);
        if (table.type.indexes().containsKey("uuid")) {
            table.byUuid.put(row.text("uuid"), ref);
        }
        for (Relation each : RELATIONS_BY_CLASS.getOrDefault(type, List.of())) {
            mirror(each, ref, "", row.text(each.field));
        }
        return ref;
    }

    /** Puts an object in exactly as it is given: no set of another object follows. */
    void load(String type, String ref, Map<String, ?> fields) {
        Table table = known(type);
        Object[] values =
                table.type.fields().stream().map(each -> fields.get(each.name())).toArray();
        long at = next(type);
        table.rows.put(ref, new Row(ref, new RecordValue(table.type, values), at, at));
    }

    /** Takes an object out as {@link #load} put it in. */
    void unload(String type, String ref) {
        Table table = known(type);
        Row row = table.rows.remove(ref);
        if (row != null) {
            table.deleted.addLast(new Deleted(ref, row.created, next(type)));
        }
    }

    private long next(String type) {
        return type.equals("message") ? ++messageGeneration : ++generation;
    }

    /** Sets fields, named and valued by turns; a field that the release lacks is passed over. */
    void set(String type, String ref, Object... fieldsAndValues) {
        Table table = known(type);
        Row row = table.rows.get(ref);
        if (row == null) {
            return;
        }
        Object[] values = row.fields.values().clone();
        boolean changed = false;
        for (int i = 0; i < fieldsAndValues.length; i += 2) {
            Integer index = table.type.indexes().get((String) fieldsAndValues[i]);
            if (index != null && !values[index].equals(fieldsAndValues[i + 1])) {
                values[index] = fieldsAndValues[i + 1];
                changed = true;
            }
        }
        if (changed) {
            Row after = put(table, row, values);
            for (Relation each : RELATIONS_BY_CLASS.getOrDefault(type, List.of())) {
                mirror(each, ref, row.text(each.field), after.text(each.field));
            }
        }
    }

    /** Changes nothing and counts as a change. */
    void touch(String type, String ref) {
        Table table = known(type);
        Row row = get(type, ref);
        put(table, row, row.fields.values());
    }

    private Row put(Table table, Row row, Object[] values) {
        Row after =
                new Row(
                        row.ref,
                        new RecordValue(table.type, values),
                        row.created,
                        next(table.type.name()));
        table.rows.remove(row.ref);
        table.rows.put(row.ref, after);
        return after;
    }

    private void mirror(Relation relation, String ref, String before, String after) {
        if (before.equals(after)) {
            return;
        }
        Row left = known(relation.otherType).rows.get(before);
        if (left != null) {
            List<String> without = new ArrayList<>(left.list(relation.otherField));
            without.remove(ref);
            set(relation.otherType, before, relation.otherField, without);
        }
        Row entered = known(relation.otherType).rows.get(after);
        if (entered != null && !entered.list(relation.otherField).contains(ref)) {
            List<String> with = new ArrayList<>(entered.list(relation.otherField));
            with.add(ref);
            set(relation.otherType, after, relation.otherField, with);
        }
    }

    /** Removes an object; {@code false} if there is none. */
    boolean destroy(String type, String ref) {
        Table table = known(type);
        Row row = table.rows.remove(ref);
        if (row == null) {
            return false;
        }
        if (table.type.indexes().containsKey("uuid")) {
            table.byUuid.remove(row.text("uuid"));
        }
        table.deleted.addLast(new Deleted(ref, row.created, next(type)));
        if (table.deleted.size() > MOST_DELETED) {
            while (table.deleted.size() > KEPT_DELETED) {
                table.deleted.removeFirst();
            }
        }
        for (Relation each : RELATIONS_BY_CLASS.getOrDefault(type, List.of())) {
            mirror(each, ref, row.text(each.field), "");
        }
        return true;
    }

    /** Deletions are kept in memory only: a restart of the coordinator loses them. */
    void forgetDeletions() {
        tables.values().forEach(each -> each.deleted.clear());
    }

    /** Objects by table, as every reply of {@code event.from} has them, in its order. */
    Map<String, Object> counts() {
        TreeMap<String, Object> reversed = new TreeMap<>(java.util.Comparator.reverseOrder());
        tables.values().stream()
                .filter(each -> each.type.hasTable())
                .forEach(each -> reversed.put(each.type.name(), each.rows.size()));
        Map<String, Object> counts = new LinkedHashMap<>();
        reversed.forEach(
                (name, count) -> counts.put(name.toLowerCase(java.util.Locale.ROOT), count));
        return counts;
    }
}
