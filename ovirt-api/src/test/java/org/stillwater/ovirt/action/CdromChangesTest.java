package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.store.DefinitionStore.Definition;

class CdromChangesTest {

    private static final Definition BARE = Bodies.definition(VmSpecification.BARE);

    @Test
    void aPathIsKeptAndItsNameStaysIt() {
        Definition loaded = CdromChanges.with(BARE, "/isos/tools.iso");
        assertThat(loaded.specification().cdrom().imagePath()).isEqualTo("/isos/tools.iso");
        assertThat(CdromChanges.with(loaded, "tools.iso")).isEqualTo(loaded);
        Definition empty = CdromChanges.with(loaded, null);
        assertThat(empty.specification().cdrom().imagePath()).isNull();
        assertThat(empty.specification().cdrom().id())
                .isEqualTo(loaded.specification().cdrom().id());
        assertThat(CdromChanges.with(BARE, null)).isEqualTo(BARE);
    }

    @Test
    void aNameAloneIsNoImage() {
        assertThatThrownBy(() -> CdromChanges.with(BARE, "tools.iso"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                .hasMessageContaining("file/id");
    }
}
