package org.stillwater.server.api.tag;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.tuple;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpStatus;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.vm.VmRegistry;
import org.stillwater.monitoring.vm.VmState;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.OvirtActionSettings;
import org.stillwater.testkit.memory.InMemoryTagStore;

/** Changes of tags: rights to add one, refused names, and the answers. */
class TagControllerTest {

    private static final VmId VM = new VmId(1, 1);
    private static final VmId OTHER = new VmId(1, 2);

    private final InMemoryTagStore store = new InMemoryTagStore();
    private final TagRegistry tags = new TagRegistry(store);
    private final VmRegistry registry = new VmRegistry(0);
    private final Someone someone = new Someone();
    private final FleetReader fleet = mock(FleetReader.class);
    private TagController controller;

    /** The caller of the next request. */
    private static final class Someone extends Callers {

        private Caller caller = Caller.withRole("admin", Role.ADMINISTRATOR);

        @Override
        public Caller current() {
            return caller;
        }
    }

    @BeforeEach
    void begin() throws StoreUnavailable {
        tags.recover();
        when(fleet.tags()).thenReturn(tags);
        when(fleet.reading(any())).thenAnswer(call -> registry.find(call.getArgument(0)));
        for (VmId vm : List.of(VM, OTHER)) {
            VmStatic definition =
                    new VmStatic("vm", VmOrigin.EXTERNAL, false, 1024, 512, 1, 1, 1, List.of());
            VmState state =
                    new VmState(VmRuntime.INITIAL, VmPlacement.NOWHERE, 0, Instant.EPOCH, 0);
            assertThat(registry.register(vm, definition, state, _ -> {})).isTrue();
        }
        controller =
                new TagController(
                        fleet,
                        someone,
                        new OvirtActionSettings(Duration.ofSeconds(1), Duration.ofSeconds(1), 3));
    }

    private List<String> attached(VmId vm, String tag) {
        return controller.attachToVm(vm.toString(), tag).tags();
    }

    private void refused(HttpStatus status, String tag, String words) {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> attached(VM, tag))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void aTagOfAPoolIsShownWithItsPoolAndChangedThere() {
        attached(VM, "blue");
        assertThat(tags.told(VM, "lab", List.of("prod"), 9)).isTrue();
        assertThat(controller.all().items())
                .extracting(TagController.TagView::name, TagController.TagView::source)
                .containsExactly(tuple("blue", null), tuple("lab:prod", "lab"));
        String kept = "kept by the XAPI pool lab: change it there";
        refused(HttpStatus.CONFLICT, "lab:prod", kept);
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> controller.detachFromVm(VM.toString(), "LAB:prod"))
                .withMessageContaining(kept)
                .satisfies(e -> assertThat(e.status()).isEqualTo(HttpStatus.CONFLICT));
        assertThat(controller.detachFromVm(VM.toString(), "blue").tags())
                .containsExactly("lab:prod");
    }

    @Test
    void tagsOfPoolsDoNotCountAmongThoseOfUsers() {
        assertThat(tags.told(VM, "lab", List.of("a", "b", "c"), 9)).isTrue();
        assertThat(attached(VM, "blue")).containsExactly("blue", "lab:a", "lab:b", "lab:c");
    }

    @Test
    void aTagIsAddedByItsFirstUseAndFoundInAnyCase() {
        assertThat(attached(VM, "web")).containsExactly("web");
        assertThat(attached(VM, "Night shift")).containsExactly("Night shift", "web");
        assertThat(attached(OTHER, "WEB")).containsExactly("web");
        assertThat(attached(OTHER, "web")).containsExactly("web");
        Tag web = tags.named("web");
        assertThat(web).isNotNull();
        assertThat(controller.detachFromVm(VM.toString(), web.id().toString()).tags())
                .containsExactly("Night shift");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> controller.detachFromVm(VM.toString(), "web"))
                .withMessage("VM %s has no tag web.".formatted(VM));
        assertThat(controller.all().items())
                .extracting(TagController.TagView::name, TagController.TagView::vms)
                .containsExactly(tuple("Night shift", 1), tuple("web", 1));
    }

    @Test
    void anOperatorUsesTagsThatExistAndAddsNone() {
        attached(OTHER, "web");
        attached(OTHER, "secret");
        someone.caller = new Caller("olga", Set.of(new Grant(Role.OPERATOR, new Scope.OfVm(VM))));
        assertThat(controller.all().items()).isEmpty();
        assertThat(attached(VM, "web")).containsExactly("web");
        assertThat(controller.all().items())
                .singleElement()
                .satisfies(tag -> assertThat(tag.vms()).isEqualTo(1));
        refused(HttpStatus.NOT_FOUND, "other", "an administrator of everything adds it");
        assertThat(tags.named("other")).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                " a",
                "a ",
                "a,b",
                "a/b",
                "a*",
                "a?",
                "a\\b",
                "a\"b",
                "a\nb",
                "a\u202eb"
            })
    void aNameThatAFilterCouldNotNameIsRefused(String name) {
        refused(HttpStatus.BAD_REQUEST, name, "The name of a tag has 1 to 255 characters");
    }

    @Test
    void theRootLongNamesAndUnknownIdsAreRefused() {
        refused(HttpStatus.BAD_REQUEST, "Root", "\"root\" is the name of the tag above all others");
        refused(HttpStatus.BAD_REQUEST, "x".repeat(256), "1 to 255 characters");
        refused(
                HttpStatus.NOT_FOUND,
                "00000000-0000-0007-0000-000000000007",
                "There is no tag 00000000-0000-0007-0000-000000000007.");
    }

    @Test
    void theSettingLimitsTheTags() {
        attached(VM, "one");
        attached(VM, "two");
        attached(VM, "three");
        refused(HttpStatus.CONFLICT, "four", "stillwater.ovirt.actions.most-tags allows: 3");
        assertThat(attached(OTHER, "three")).containsExactly("three");
    }

    @Test
    void withoutTheDatabaseNothingChanges() {
        attached(VM, "web");
        store.unavailable("it is away");
        refused(HttpStatus.SERVICE_UNAVAILABLE, "web", "The tags were not changed");
        refused(HttpStatus.SERVICE_UNAVAILABLE, "new", "The tags were not changed");
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> controller.detachFromVm(VM.toString(), "web"))
                .withMessageContaining("it is away");
        assertThat(tags.set(VM).names()).containsExactly("web");
    }

    @Test
    void aVmThatIsNotThereHasNoTags() {
        assertThatExceptionOfType(ApiException.class)
                .isThrownBy(() -> attached(new VmId(9, 9), "web"))
                .withMessageContaining("There is no VM");
        assertThat(tags.tags()).isEmpty();
    }
}
