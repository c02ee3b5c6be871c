package org.stillwater.core.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RuntimeFieldTest {

    private static Object sample(RuntimeField field) {
        return switch (field.type()) {
            case TEXT -> "text of " + field;
            case INTEGER -> 4711;
            case LONG -> 4_711_000_000L;
            case BOOLEAN -> false;
            case VM_STATUS -> VmStatus.PAUSED;
            case PAUSE_STATUS -> PauseStatus.EIO;
            case EXIT_STATUS -> ExitStatus.ERROR;
            case EXIT_REASON -> ExitReason.HOST_SHUTDOWN;
            case GUEST_SESSION -> GuestSession.ACTIVE;
            case GUEST_NICS ->
                    new GuestNics(
                            42,
                            List.of(
                                    new GuestNic(
                                            "eth0",
                                            "56:6f:00:00:00:01",
                                            List.of("10.0.0.1"),
                                            List.of())));
        };
    }

    @Test
    void noTwoFieldsShareAColumnOrAWireSource() {
        Set<String> columns = new HashSet<>();
        Set<String> wires = new HashSet<>();
        for (RuntimeField field : RuntimeField.values()) {
            assertThat(columns.add(field.column())).as(field.name()).isTrue();
            if (field.wire() != null) {
                assertThat(wires.add(field.wire())).as(field.name()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(RuntimeField.class)
    void everyFieldIsComparedAppliedAndStored(RuntimeField field) {
        Object value = sample(field);
        VmRuntime changed = VmRuntime.INITIAL.with(field, value);

        assertThat(changed.differencesFrom(VmRuntime.INITIAL).toList()).containsExactly(field);
        assertThat(changed.value(field)).isEqualTo(value);
        assertThat(changed).isNotEqualTo(VmRuntime.INITIAL);
        Object stored = field.type().toSql(value);
        assertThat(stored).isInstanceOfAny(String.class, Integer.class, Long.class, Boolean.class);
        assertThat(field.type().toSql(field.type().fromSql(stored))).isEqualTo(stored);
    }

    @ParameterizedTest
    @EnumSource(RuntimeField.class)
    void aValueOfAnotherTypeIsRefused(RuntimeField field) {
        assertThatThrownBy(() -> VmRuntime.INITIAL.with(field, new int[0]))
                .isInstanceOf(ClassCastException.class);
    }

    @ParameterizedTest
    @EnumSource(RuntimeField.class)
    void anEventKeepsMissingFields(RuntimeField field) {
        VmRuntime known = VmRuntime.INITIAL.with(field, sample(field));

        assertThat(new VmRuntime.Draft().startFrom(known).build()).isSameAs(known);
    }

    @ParameterizedTest
    @EnumSource(RuntimeField.class)
    void aPollClearsMissingFieldsUnlessTheyAreKept(RuntimeField field) {
        VmRuntime known = VmRuntime.INITIAL.with(field, sample(field));

        VmRuntime polled = new VmRuntime.Draft().startPoll(known).build();

        if (field.absence() == RuntimeField.Absence.KEEPS) {
            assertThat(polled).isSameAs(known);
        } else {
            assertThat(polled.value(field)).isEqualTo(field.defaultValue());
        }
    }

    @Test
    void anEqualReportIsTheKnownInstance() {
        VmRuntime.Draft draft = new VmRuntime.Draft();
        VmRuntime known = VmRuntime.INITIAL;
        for (RuntimeField field : RuntimeField.values()) {
            known = known.with(field, sample(field));
        }
        draft.startPoll(known);
        for (RuntimeField field : RuntimeField.values()) {
            draft.set(field, sample(field));
        }
        assertThat(draft.build()).isSameAs(known);
    }
}
