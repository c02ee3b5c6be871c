/**
 * The interface between resources and the search language: the searchable fields of a collection.
 * Neither the language nor the resources belong here.
 */
@NullMarked
package org.stillwater.ovirt.query;

import org.jspecify.annotations.NullMarked;
