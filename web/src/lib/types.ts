// The server's messages as the page uses them. `contract.ts` is generated from the server's own
// description (`make web`); it calls every field with a default optional.
import type * as contract from './contract'

/** The server sends every field. */
type Complete<T> = T extends object ? { [K in keyof T]-?: Complete<T[K]> } : T

export type Alternative = Complete<contract.Alternative>
export type Answer = Complete<contract.Answer>
export type Audit = Complete<contract.Audit>
export type Belief = Complete<contract.Belief>
export type Choices = Complete<contract.Choices>
export type DrawnEdit = Complete<contract.DrawnEdit>
export type Edit = Complete<contract.Edit>
export type ExportRequest = Complete<contract.ExportRequest>
export type Exported = Complete<contract.Exported>
export type Folders = Complete<contract.Folders>
export type Guess = Complete<contract.Guess>
export type Job = Complete<contract.Job>
export type NoPhotos = Complete<contract.NoPhotos>
export type Photo = Complete<contract.Photo>
export type PhotoDetails = Complete<contract.PhotoDetails>
export type Place = Complete<contract.Place>
export type Plan = Complete<contract.Plan>
export type Point = Complete<contract.Point>
export type RecentAlbum = Complete<contract.RecentAlbum>
export type SkippedFile = Complete<contract.SkippedFile>
export type Undo = Complete<contract.Undo>
export type Verified = Complete<contract.Verified>
export type View = Complete<contract.View>
export type Wishes = Complete<contract.Wishes>
export type WorkspaceState = Complete<contract.Workspace>
/** One line of a stream: only the fields that are set. */
export type Event = Partial<Complete<contract.Event>>

/** Left, top, right and bottom, in thousandths of the picture. */
export type Sides = Edit['covers'][number]
export type Level = NonNullable<Wishes['hide_level']>
export type PhotoState = Photo['state']
export type Stage = WorkspaceState['stage']
export type WorkStage = NonNullable<Event['stage']>
