package org.stillwater.core.vm;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.value.Coded;

/**
 * Runtime state of one VM that hosts report: immutable, one value per row of {@link RuntimeField}.
 * Equal instances need no write.
 *
 * <p>Values are held in table order in one array instead of named components, so that decoding,
 * diffing, resetting and SQL are loops over the table and no field can be forgotten. A stable VM
 * keeps the same instance: a decoder that finds no difference returns the instance that it compared
 * with.
 */
public final class VmRuntime {

    /** A VM about which nothing was ever reported. */
    public static final VmRuntime INITIAL = new VmRuntime(defaults());

    private static final RuntimeField[] FIELDS = RuntimeField.values();

    private final @Nullable Object[] values;

    private VmRuntime(@Nullable Object[] values) {
        this.values = values;
    }

    private static @Nullable Object[] defaults() {
        RuntimeField[] fields = RuntimeField.values();
        @Nullable Object[] values = new @Nullable Object[fields.length];
        for (RuntimeField field : fields) {
            values[field.slot()] = field.defaultValue();
        }
        return values;
    }

    /** The value of a field, of the class that its {@link RuntimeField#type()} names, or null. */
    public @Nullable Object value(RuntimeField field) {
        return values[field.slot()];
    }

    /** The value of a text field. */
    public @Nullable String text(RuntimeField field) {
        return (String) value(field);
    }

    /** Status of the VM. */
    public VmStatus status() {
        return required(RuntimeField.STATUS, VmStatus.class);
    }

    /** Why the VM is paused. */
    public PauseStatus pauseStatus() {
        return required(RuntimeField.PAUSE_STATUS, PauseStatus.class);
    }

    /** How the VM's last process ended. */
    public ExitStatus exitStatus() {
        return required(RuntimeField.EXIT_STATUS, ExitStatus.class);
    }

    /** Why the VM's last process ended. */
    public ExitReason exitReason() {
        return required(RuntimeField.EXIT_REASON, ExitReason.class);
    }

    /** Message of the host about the end of the VM's last process. */
    public @Nullable String exitMessage() {
        return text(RuntimeField.EXIT_MESSAGE);
    }

    /** The guest's network interfaces. */
    public GuestNics guestNics() {
        return required(RuntimeField.GUEST_NICS, GuestNics.class);
    }

    /** Space-joined addresses of the guest. */
    public @Nullable String guestIps() {
        return text(RuntimeField.GUEST_IPS);
    }

    /** Address of the console client. */
    public @Nullable String clientIp() {
        return text(RuntimeField.CLIENT_IP);
    }

    private <T> T required(RuntimeField field, Class<T> type) {
        return type.cast(Objects.requireNonNull(value(field), field.name()));
    }

    /** This runtime with one field replaced; the same instance when the value is equal. */
    public VmRuntime with(RuntimeField field, @Nullable Object value) {
        return edit().set(field, value).build();
    }

    /** An editable copy. */
    public Draft edit() {
        return new Draft().startFrom(this);
    }

    /** The fields in which this runtime differs from another. */
    @SuppressWarnings("ReferenceEquality") // the same instance needs no comparison of its values
    public RuntimeFields differencesFrom(VmRuntime other) {
        if (this == other) {
            return RuntimeFields.NONE;
        }
        long bits = 0;
        for (int i = 0; i < values.length; i++) {
            if (!Objects.equals(values[i], other.values[i])) {
                bits |= RuntimeFields.bit(FIELDS[i]);
            }
        }
        return bits == 0 ? RuntimeFields.NONE : new RuntimeFields(bits);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof VmRuntime that && Arrays.equals(values, that.values));
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    /** The fields that differ from {@link #INITIAL}, for logs and test failures. */
    @Override
    public String toString() {
        Map<RuntimeField, @Nullable Object> told = new TreeMap<>();
        differencesFrom(INITIAL).forEach(field -> told.put(field, value(field)));
        return "VmRuntime" + told;
    }

    /**
     * A mutable runtime, reused by decoders. Not thread-safe.
     *
     * <p>{@link #build()} returns the instance it started from when every value is equal, so a
     * report without a change allocates nothing.
     */
    public static final class Draft {

        private VmRuntime origin = INITIAL;
        private final @Nullable Object[] values = new @Nullable Object[FIELDS.length];

        /** A draft of {@link VmRuntime#INITIAL}. */
        public Draft() {
            startFrom(INITIAL);
        }

        /**
         * Starts over with the values of this runtime: the semantics of an event, where an absent
         * field is unchanged.
         */
        public Draft startFrom(VmRuntime runtime) {
            origin = runtime;
            System.arraycopy(runtime.values, 0, values, 0, values.length);
            return this;
        }

        /**
         * Starts over for a poll, where an absent field gets its default, except for fields that
         * {@link RuntimeField.Absence#KEEPS keep} the known value.
         *
         * @param known runtime that the result is compared with, and source of kept fields
         */
        public Draft startPoll(VmRuntime known) {
            origin = known;
            for (int i = 0; i < values.length; i++) {
                values[i] =
                        FIELDS[i].absence() == RuntimeField.Absence.KEEPS
                                ? known.values[i]
                                : FIELDS[i].defaultValue();
            }
            return this;
        }

        /** The runtime this draft started from. */
        public VmRuntime origin() {
            return origin;
        }

        /**
         * The value that the runtime this draft started from has, so that an equal one can be
         * reused.
         */
        public @Nullable Object originValue(RuntimeField field) {
            return origin.values[field.slot()];
        }

        /** The value drafted so far. */
        public @Nullable Object value(RuntimeField field) {
            return values[field.slot()];
        }

        /**
         * Sets a value.
         *
         * @throws ClassCastException if the value is not of the field's type
         */
        public Draft set(RuntimeField field, @Nullable Object value) {
            if (value != null && value.getClass() != field.type().javaType()) {
                throw new ClassCastException(
                        field + " cannot hold a " + value.getClass().getSimpleName());
            }
            values[field.slot()] =
                    value == null && isEnumerated(field) ? field.defaultValue() : value;
            return this;
        }

        /** Sets a field back to its default. */
        public Draft clear(RuntimeField field) {
            values[field.slot()] = field.defaultValue();
            return this;
        }

        /** The result; the runtime this draft started from when nothing differs. */
        public VmRuntime build() {
            for (int i = 0; i < values.length; i++) {
                if (!Objects.equals(values[i], origin.values[i])) {
                    return new VmRuntime(values.clone());
                }
            }
            return origin;
        }

        private static boolean isEnumerated(RuntimeField field) {
            return field.defaultValue() instanceof Coded
                    || field.defaultValue() instanceof GuestNics;
        }
    }
}
