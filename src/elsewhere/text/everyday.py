"""Words of everyday signs that some town on earth is also called."""

from __future__ import annotations

EVERYDAY = frozenset(
    """
    abajo aberto abierto abstract accueil achtung acqua adults agora agua aire alameda alarm
    alba alla alle also alto and anna annex antique aperto apple april aqua aqui arch area arena
    arriba arrivals art atelier attention august aula aurora auto aux avec avenue azul baby back
    bad bag bagni bagno bain baja bajo bakery balance ball band bank bar barrio base basic baths
    battle beach beau beauty beim bell bella belle best bien bier big bike bil bio bird birthday
    bistro bitte black blanca blood blue boat bois bonne book boots bord border bosco boss both
    box boys brand bravo bread bride bridge brot brown buena buffalo burst bus bush business
    cada cafe caffe caldas call calle camera camp campo canal cani canon cape car card care casa
    cash castle cat cave cella central centre centro centrum cerrado chance change charity
    charlotte chat check chez chico chili chiuso christmas church cidade cinema city ciudad
    classic clean clinic clos close closed club coast coffee cold collage colle college color
    colour com comfort common como con cook copy corn corner corona corsa corso costa cote
    country cour court cover cream crema crown cruise cruz cuba dag dam dame danke dans dark
    data david day days deal december dein deli della delta dental design deur diamond diese
    dijk din dinner ditt dji dogs dolce dollar donna door double down downtown dragon dream
    dress drive durch eagle east eaux eden edit edited een eine einen einer eis electric elite
    eller emergency emma enter entrance entry error esta estacio este ett europa event every
    exit export express facebook fairfield family farm fashion fast february fechado feira ferme
    ferry fiesta final fire first fish fiume flat fleur floor flora florist flower fonda fonte
    food forest forever forma forza frame free frei fresh fri friday friends from front fruit
    fuel fuente full furniture gala gallery games gamla garden gare garten gasse gast gata gate
    gates geen gelato gelo general gift glass globe gold golden gopro gracht gran grand grande
    green grill group guard guest gusto haar haben hair half hall hallas halt halten hamburger
    hamn hand hang happy harbor harbour hard haus hause heart hell help here heren herren heute
    hier high hill holiday hollywood home honey honor hope hora horno hotel house huawei huis
    human hund hunde hunter hus hybrid ice ihre image images immer imperial independence indian
    info inga inn instagram inte iron isla island isola jacket january jeans jeden jet job jour
    juice july jump junction june kasse keep kein keine kerk key kids king kings kirche kiss
    kitchen kodak kom kust laan lac laden lado lady lager lago lagos lake land lane lang large
    largo laser last latte leader leather leben left leica lemon les level liberty libre lido
    lieu life lift light lima line lion live lodge logan loire lone long loop lord lost louer
    lounge love lucky lugar luna lunch lungo luz made madre magic main mairie maison male mall
    mano manor mar march mare maria market markt mart martin mas mass master mata max mayor meer
    meet melon mens menu mercado mercato mercedes merry mesa messenger met midi milk mill mini
    miss mit mitt mobile moda mode model modern mola molen moment monday mondo money mont monte
    moon more morning most motion motor mountain mousse museum music nach national natural
    nature negro nel nero net new news next nice nicht niet nieuw night nikon noche north notre
    nous nova november novo nuevo number nuova nya object obra obras och october oder office
    officer ohne oil ojo old olympic olympus oost open orange orchard order original orilla oro
    orto otro otto outdoor outlet oxford oyster padre page pain paint palace pan panda pano
    panorama para parada paradise park parking part party pas paseo paso pass pasta pastel pearl
    people person pesca pet pets photo photos piano piazza pic pics picture pictures pier pilot
    pink pino piso pixel pizza place plage plain plan plane plant platform platz playa plaza
    please plein plus point police pollo polo pont ponte pool poort por port porta portant porte
    porto portrait pose posta pour power praia premium press price pride prima prime primo print
    private prix public puerta pull punto push queen quick quinta race radio rail rain ramal
    ramp raw reading real received red regal regent region relax rent repair reserve resized
    rest restaurant reward rice rich right rio river road roca rock roma rond room rosa rose
    royal rua rue rush safari safe safety saida sala sale salida salon salt salud samsung san
    sand sans santa sasso saturday saude sauna save scala scan school schule screen screenshot
    sea seat second secret security sede sein self selfie senhora senior sens sent september
    service sete shared shell ship shop shopping shot show sierra sign signal silver sind singel
    single site skog sky slow small smart snap snapchat snow soft sol solar sole solo song sony
    sortie sosta soul source sous south spa space spar speed split sport sports spring square
    stad stadt stage stand star station steak stein step still stone stop storage store storm
    story straat stracke strada strand street sugar summer sun sunday sunrise sunset super
    supreme sur surf surprise sweet tabac table tal tax taxi tea team tech telegram temple terme
    terminal terra test thai than that the this thursday tickets tienda tiger till time todo
    toilet toilets tools tor torg torre total tour tours tous tout tower town track trade train
    tram travel tree trend trip triumph tropical trust tuesday turkey turn twin und under union
    unit universal unknown uno unser untitled urban uscita vacation vale value van ved vega
    verboten vers vert via vico victory vida video viejo view vik vila vill villa village ville
    vin vino vintage vision vista vita vital viva voor vor vous walk wall ward warm warning wash
    watch water wedding wednesday weg wein welcome welkom well wenn werden west whatsapp white
    wijk wild willow wine wing winter with women wonder wood woods work world xiaomi yard year
    yellow young your youth zee zeit zentrum zimmer zoll zona zone zug zuid
    """.split()  # noqa: SIM905 - a page of words is easier to read than a page of quotes
)
"""As `name_key` writes them; a phrase of such words alone names no place."""
