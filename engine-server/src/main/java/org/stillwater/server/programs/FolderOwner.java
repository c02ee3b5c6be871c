package org.stillwater.server.programs;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import org.jspecify.annotations.Nullable;

/**
 * Owners of the files that a program puts into a data folder. Root gives them to the owner of the
 * folder above: the engine of that user could not use them otherwise. Files of other users are
 * their own. Stateless.
 */
final class FolderOwner {

    private static final String USER = "unix:uid";
    private static final String GROUP = "unix:gid";
    private static final int ROOT = 0;

    /** Also that of files whose owner is unknown in a container. */
    private static final int NOBODY = 65_534;

    private FolderOwner() {}

    /**
     * Makes a folder, and those above it, where they are missing.
     *
     * @param attributes of each new folder
     */
    static void make(Path folder, FileAttribute<?>... attributes) throws IOException {
        Path whole = folder.toAbsolutePath().normalize();
        @Nullable Path above = whole.getParent();
        if (Files.isDirectory(whole) || above == null) {
            return;
        }
        make(above, attributes);
        try {
            Path _ = Files.createDirectory(whole, attributes);
            give(whole);
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(whole)) {
                throw e;
            }
        }
    }

    /** Gives a new file or folder of root's to the owner of the folder above. */
    static void give(Path made) throws IOException {
        Path whole = made.toAbsolutePath().normalize();
        @Nullable Path above = whole.getParent();
        if (above == null
                || !whole.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return;
        }
        int owner = (Integer) Files.getAttribute(above, USER);
        if (owner != ROOT
                && owner != NOBODY
                && (Integer) Files.getAttribute(whole, USER, LinkOption.NOFOLLOW_LINKS) == ROOT) {
            Path _ = Files.setAttribute(whole, USER, owner, LinkOption.NOFOLLOW_LINKS);
            Path _ =
                    Files.setAttribute(
                            whole,
                            GROUP,
                            Files.getAttribute(above, GROUP),
                            LinkOption.NOFOLLOW_LINKS);
        }
    }
}
