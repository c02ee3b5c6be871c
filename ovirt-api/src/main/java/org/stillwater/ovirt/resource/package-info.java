/**
 * The resources of the REST API v4 (chapter 3): a tree of collections, each of which says where its
 * items come from and how one is told. Everything is answered from {@link
 * org.stillwater.ovirt.fleet.Fleet}, nothing waits. Actions live elsewhere and are plugged in
 * through {@link org.stillwater.ovirt.resource.Writes}.
 */
@NullMarked
package org.stillwater.ovirt.resource;

import org.jspecify.annotations.NullMarked;
