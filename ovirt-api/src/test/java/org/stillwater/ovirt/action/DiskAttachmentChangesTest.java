package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.store.DefinitionStore.Definition;

class DiskAttachmentChangesTest {

    private static final UUID IMAGE = new UUID(8, 1);
    private static final Definition BARE = Bodies.definition(VmSpecification.BARE);

    private static VmDisk disk(long number) {
        return new VmDisk(
                new UUID(9, number),
                "disk" + number,
                new VmDisk.Place.Volume(
                        new UUID(8, 10),
                        new UUID(8, 11),
                        new UUID(8, number),
                        new UUID(8, 100 + number),
                        false),
                VmDisk.Bus.VIRTIO,
                VmDisk.Format.RAW,
                null,
                false,
                false);
    }

    private static Definition added(Definition before, long number, String body) {
        return DiskAttachmentChanges.added(before, disk(number), Bodies.of(body));
    }

    private static List<VmDisk> disks(Definition definition) {
        return definition.specification().disks();
    }

    @Test
    void aDiskIsAttachedAsInTheBody() {
        Definition attached =
                added(
                        BARE,
                        1,
                        "<disk_attachment><interface>virtio_scsi</interface>"
                            + "<bootable>true</bootable><read_only>true</read_only></disk_attachment>");
        VmDisk disk = disks(attached).getFirst();
        assertThat(disk.bus()).isEqualTo(VmDisk.Bus.VIRTIO_SCSI);
        assertThat(disk.bootOrder()).isEqualTo(1);
        assertThat(disk.readOnly()).isTrue();
    }

    @Test
    void missingElementsStayUnchanged() {
        Definition attached = added(BARE, 1, "{\"bootable\":true,\"interface\":\"sata\"}");
        Definition changed =
                DiskAttachmentChanges.changed(
                        attached, IMAGE.toString(), Bodies.of("{\"interface\":\"virtio\"}"));
        assertThat(disks(changed).getFirst().bus()).isEqualTo(VmDisk.Bus.VIRTIO);
        assertThat(disks(changed).getFirst().bootOrder()).isEqualTo(1);
    }

    @Test
    void aDiskIsPluggedAndUnplugged() {
        Definition attached = added(BARE, 1, "{}");
        Definition out = DiskAttachmentChanges.plugged(attached, IMAGE.toString(), false);
        assertThat(disks(out).getFirst().unplugged()).isTrue();
        assertThat(DiskAttachmentChanges.plugged(out, IMAGE.toString(), true)).isEqualTo(attached);
        assertThat(
                        DiskAttachmentChanges.changed(
                                attached, IMAGE.toString(), Bodies.of("{\"active\":false}")))
                .isEqualTo(out);
        assertThat(
                        DiskAttachmentChanges.changed(
                                out, IMAGE.toString(), Bodies.of("{\"bootable\":false}")))
                .isEqualTo(out);
        assertThat(disks(added(BARE, 1, "{\"active\":\"false\"}")).getFirst().unplugged()).isTrue();
    }

    @Test
    void oneDiskAtMostIsBootable() {
        Definition attached = added(BARE, 1, "{\"bootable\":true}");
        assertThatThrownBy(() -> added(attached, 2, "{\"bootable\":true}"))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(409))
                .hasMessageContaining("disk1")
                .hasMessageContaining("already marked as boot");
        assertThat(disks(added(attached, 2, "{\"bootable\":false}"))).hasSize(2);
    }

    @Test
    void aDiskIsDetached() {
        Definition attached = added(added(BARE, 1, "{}"), 2, "{}");
        Definition left = DiskAttachmentChanges.without(attached, IMAGE.toString());
        assertThat(disks(left)).extracting(VmDisk::name).containsExactly("disk2");
        assertThatThrownBy(() -> DiskAttachmentChanges.without(left, IMAGE.toString()))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.status()).isEqualTo(404));
    }
}
